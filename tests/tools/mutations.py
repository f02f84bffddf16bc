"""Ways to change a bundle: systematic, or drawn by a seeded generator."""
import random
from typing import Any
from collections.abc import Iterator

from bundles import Document, copied, rehashed, written

Path = tuple[str | int, ...]


def paths_of(value: Any, path: Path = ()) -> Iterator[Path]:
    """Of every value in a document, but the document itself."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for name, item in items:
        yield (*path, name)
        yield from paths_of(item, (*path, name))


def value_at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _changed_text(text: str, draw: random.Random) -> str:
    if not text:
        return "0"
    place = draw.randrange(len(text))
    other = draw.choice([letter for letter in "0a1f-Z9." if letter != text[place]])
    return text[:place] + other + text[place + 1:]


def variation(value: Any, draw: random.Random) -> Any:
    """Another value, mostly of the same kind."""
    if value is None or draw.randrange(12) == 0:
        others: list[Any] = [0, "", True, [], {}]
        return draw.choice([item for item in others if item != value])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.choice((-1, 1, 2))
    if isinstance(value, str):
        return _changed_text(value, draw)
    if isinstance(value, list):
        made = list(value)
        if not made or draw.randrange(3) == 0:
            made.insert(draw.randrange(len(made) + 1), draw.choice(made or [0]))
        elif len(made) > 1 and draw.randrange(2) == 0:
            a, b = draw.sample(range(len(made)), 2)
            made[a], made[b] = made[b], made[a]
        else:
            del made[draw.randrange(len(made))]
        return made
    made_object = dict(value)
    if made_object and draw.randrange(2) == 0:
        del made_object[draw.choice(sorted(made_object))]
    else:
        made_object["zz"] = 1
    return made_object


def with_value(document: Document, path: Path, value: Any) -> Document:
    made = copied(document)
    value_at(made, path[:-1])[path[-1]] = value
    return made


def without(document: Document, path: Path) -> Document:
    made = copied(document)
    del value_at(made, path[:-1])[path[-1]]
    return made


def bytes_changed(data: bytes, draw: random.Random) -> bytes:
    """One byte flipped, dropped, doubled, replaced, or exchanged with another."""
    place, kind = draw.randrange(len(data)), draw.randrange(5)
    made = bytearray(data)
    if kind == 0:
        made[place] ^= 1 << draw.randrange(8)
    elif kind == 1:
        del made[place]
    elif kind == 2:
        made.insert(place, made[place])
    elif kind == 3:
        made[place] = draw.choice(b'abcdef0123456789"{}[],: \\')
    else:
        other = draw.randrange(len(data))
        made[place], made[other] = made[other], made[place]
    return bytes(made)


def letters_changed(data: bytes, draw: random.Random) -> bytes:
    """One letter or digit replaced by another: mostly canonical again."""
    made = bytearray(data)
    while True:
        place = draw.randrange(len(data))
        if chr(made[place]).isalnum():
            made[place] = draw.choice([c for c in b"0123456789abcdefXYZ" if c != made[place]])
            return bytes(made)


def in_document(document: Document, draw: random.Random, paths: list[Path]) -> bytes:
    """One value changed or removed, written canonically again."""
    path = draw.choice(paths)
    if draw.randrange(4) == 0:
        return written(without(document, path))
    return written(with_value(document, path, variation(value_at(document, path), draw)))


def in_proof(document: Document, draw: random.Random) -> Document:
    """A node changed, and every hash computed again up to the receipt."""
    made = copied(document)
    nodes = made["proof"]["nodes"]
    place = draw.randrange(len(nodes))
    node, kind = nodes[place], draw.randrange(4)
    if kind == 0 and node["children"] and place > 0:
        node["children"][draw.randrange(len(node["children"]))] = draw.randrange(place)
    elif kind == 1 and node["children"]:
        node["children"] = variation(node["children"], draw)
        node["children"] = [child for child in node["children"] if isinstance(child, int)
                            and not isinstance(child, bool) and 0 <= child < place] \
            if isinstance(node["children"], list) else []
    else:
        name = draw.choice(sorted(node["data"]))
        node["data"][name] = variation(node["data"][name], draw)
    if node["type"] == "FIELD" and isinstance(node["data"]["field"], str):
        made["proof"]["field_index"] = {each["data"]["field"]: each["id"] for each in nodes
                                        if each["type"] == "FIELD"}
    return rehashed(made)


def in_content(document: Document, draw: random.Random) -> Document:
    """A fact, a field, a tier, an entry, the product or a source changed, and every hash again."""
    part = draw.choice(("facts", "payload", "product", "rules", "receipt", "snapshot"))
    paths = [(part, *path) for path in paths_of(document[part])]
    paths = [path for path in paths if path != ("snapshot", "facts") and path[-1] != "signature"]
    path = draw.choice(paths or [("payload", "fields")])
    made = with_value(document, path, variation(value_at(document, path), draw))
    if not isinstance(made["facts"], list) or not all(isinstance(text, str) for text
                                                      in made["rules"].values()):
        return made
    try:
        return rehashed(made)
    except (KeyError, TypeError):
        return made  # what is not a bundle any more needs no hashes
