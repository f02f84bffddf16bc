def derive(f):
    import make
    return make.minimal(f)
