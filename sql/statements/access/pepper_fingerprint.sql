select jobforge.pepper_fingerprint()
