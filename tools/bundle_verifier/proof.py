"""The structure of BPC-PROOF-1: members, ids, hashes, nothing twice, nothing unreachable."""
from dataclasses import dataclass

from .canonical import Fault, Json, canonical, sha256_hex


@dataclass(frozen=True)
class Node:
    type: str
    data: dict[str, Json]
    children: tuple[int, ...]
    hash: str

    def text(self, member: str) -> str:
        """Of a member that `_check_data` has found to be a text."""
        found = self.data[member]
        assert isinstance(found, str)
        return found


def exactly(value: Json, what: str, *names: str) -> dict[str, Json]:
    """The value, an object with these members and no others."""
    if not isinstance(value, dict):
        raise Fault(f"{what} is not an object")
    for name in sorted(set(value) ^ set(names)):
        raise Fault(f"{what} {'has' if name in value else 'lacks'} the member \"{name}\"")
    return value


def texts(value: dict[str, Json], what: str, *names: str) -> None:
    for name in names:
        if not isinstance(value[name], str):
            raise Fault(f"{what}: \"{name}\" is not a text")


# Type of node -> members of its data, and those of them that are texts.
_DATA: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "CONST": (("type", "value"), ("type",)),
    "FACT_GET": (("fact_key", "fact_type", "payload_hash"), ("fact_key", "fact_type")),
    "ASSERT": (("code", "condition"), ("code",)),
    "COMPLIANCE_EMIT": (("evidence", "id", "status"), ("evidence", "id", "status")),
    "FIELD": (("field", "type"), ("field", "type")),
}


def _check_data(type_: str, data: Json) -> dict[str, Json]:
    members: tuple[str, ...]
    of_text: tuple[str, ...]
    if type_ == "OP" and isinstance(data, dict) and "result_hash" in data:
        members = of_text = ("op", "type", "result_hash")
    elif type_ == "OP":
        members, of_text = ("op", "type", "result"), ("op", "type")
    elif type_ in _DATA:
        members, of_text = _DATA[type_]
    else:
        raise Fault("there is no such type of node")
    found = exactly(data, "its data", *members)
    texts(found, "its data", *of_text)
    return found


def is_number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _children(value: Json, parent: int) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise Fault("its children are not a list")
    for child in value:
        if not isinstance(child, int) or not is_number(child) or not 0 <= child < parent:
            raise Fault("its children are not earlier nodes")
    return tuple(child for child in value if isinstance(child, int))


class _Reader:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.known: dict[bytes, int] = {}

    def add(self, document: Json) -> None:
        place = len(self.nodes)
        members = exactly(document, "it", "children", "data", "hash", "id", "type")
        if not is_number(members["id"]) or members["id"] != place:
            raise Fault("its id is not its place")
        type_ = members["type"]
        if not isinstance(type_, str):
            raise Fault("there is no such type of node")
        children = _children(members["children"], place)
        data = _check_data(type_, members["data"])
        hashes: list[Json] = [self.nodes[child].hash for child in children]
        digest = sha256_hex(canonical({"children_hashes": hashes, "data": data, "id": place,
                                       "type": type_}))
        if members["hash"] != digest:
            raise Fault("its hash is not that of its content")
        identity = canonical([type_, data, list(children)])
        if identity in self.known:
            raise Fault(f"it is the same as node {self.known[identity]}")
        self.known[identity] = place
        self.nodes.append(Node(type_, data, children, digest))


def _check_reachable(nodes: list[Node]) -> None:
    reached = {len(nodes) - 1}
    for place in range(len(nodes) - 1, -1, -1):
        if place not in reached:
            raise Fault(f"node {place}: nothing leads to it from the root")
        reached.update(nodes[place].children)


def _check_root(nodes: list[Node]) -> None:
    last = len(nodes) - 1
    for place, node in enumerate(nodes):
        is_root = node.type == "OP" and node.text("op") == "root"
        if is_root != (place == last):
            raise Fault(f"node {place}: OP root is the last node, and no other")
    fields = tuple(place for place, node in enumerate(nodes) if node.type == "FIELD")
    if nodes[last].children != fields:
        raise Fault(f"node {last}: the root's children are not all FIELD nodes in order")


def _check_index(nodes: list[Node], written: Json) -> None:
    index: dict[str, Json] = {}
    for place in nodes[-1].children:
        path = nodes[place].text("field")
        if path in index:
            raise Fault(f"node {place}: a second FIELD of the same path")
        index[path] = place
    if not isinstance(written, dict) or written != index or not all(map(is_number,
                                                                        written.values())):
        raise Fault("field_index does not list the FIELD nodes")


def read_proof(document: Json) -> list[Node]:
    """The nodes; Fault for the first broken rule of docs/formats.md about their structure."""
    proof = exactly(document, "the proof", "field_index", "nodes", "proof_version", "root_hash")
    if proof["proof_version"] != "BPC-PROOF-1":
        raise Fault("proof_version is not BPC-PROOF-1")
    documents = proof["nodes"]
    if not isinstance(documents, list) or not documents:
        raise Fault("nodes is not a list, or empty")
    reader = _Reader()
    for place, each in enumerate(documents):
        try:
            reader.add(each)
        except Fault as fault:
            raise Fault(f"node {place}: {fault}") from fault
    _check_reachable(reader.nodes)
    _check_root(reader.nodes)
    if proof["root_hash"] != reader.nodes[-1].hash:
        raise Fault("root_hash is not the hash of the last node")
    _check_index(reader.nodes, proof["field_index"])
    return reader.nodes
