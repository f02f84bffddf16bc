#!/usr/bin/env python3
"""Writes the API's description as a page for people: no script, nothing from elsewhere.

usage: api_page.py OPENAPI_YAML OUTPUT_HTML

Every operation folds out to its parameters, its body, a curl line and its answers with examples;
the types they name stand in tables at the end.
"""
import html
import json
import pathlib
import re
import shlex
import sys

import yaml

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #5a6675; --line: #dde3ea;
  --box: #f5f7fa; --link: #0b57d0; --get: #14632f; --post: #0b57d0; --put: #7a4b00; --delete: #8c1420 }
@media (prefers-color-scheme: dark) { :root { --ink: #dfe5ec; --paper: #12161c; --soft: #9aa7b5;
  --line: #2b333d; --box: #1a2028; --link: #8ab8ff; --get: #8fe0ab; --post: #8ab8ff; --put: #f2c46d;
  --delete: #ff9aa4 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 64rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
h1 { margin: 1rem 0 0 } h2 { margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line) }
h3 { font-size: .85rem; margin: 1rem 0 .25rem; color: var(--soft); text-transform: uppercase;
  letter-spacing: .04em }
a { color: var(--link) }
nav { margin: 1.5rem 0 } nav a { display: inline-block; margin: 0 1rem .3rem 0 }
code, pre { font: .85rem/1.5 ui-monospace, monospace }
pre { background: var(--box); border: 1px solid var(--line); border-radius: .4rem; margin: .25rem 0;
  padding: .6rem .8rem; overflow-x: auto; overflow-wrap: normal }
details { border-bottom: 1px solid var(--line) }
details > div { padding: 0 0 1rem 1.2rem }
summary { padding: .45rem 0; cursor: pointer }
summary b { display: inline-block; min-width: 4rem; font-size: .85rem }
.get { color: var(--get) } .post { color: var(--post) } .put, .patch { color: var(--put) }
.delete { color: var(--delete) }
.soft { color: var(--soft); font-size: .9rem }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; font-weight: normal;
  border-bottom: 1px solid var(--line) }
td:first-child { width: 14rem } td:nth-child(2) { width: 18rem }
@media (max-width: 45rem) { tr { display: block; padding: .3rem 0; border-bottom: 1px solid var(--line) }
  td, td:first-child, td:nth-child(2) { display: block; width: auto; border: 0; padding: 0 }
  details > div { padding-left: .5rem } }
"""


def text(value) -> str:
    """Escaped, with `code` as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(str(value), quote=True))


def paragraphs(value: str) -> str:
    blocks = re.split(r"\n\s*\n", value.strip())
    return "\n".join(f"<p>{text(' '.join(block.split()))}</p>" for block in blocks)


def pretty(value) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return f"<pre>{html.escape(shown)}</pre>"


class Page:
    def __init__(self, document: dict):
        self.document = document
        self.components = document.get("components", {})
        self.named = set()  # schemas that something on the page links to

    def resolved(self, item: dict) -> dict:
        """What a $ref stands for."""
        if "$ref" not in item:
            return item
        kind, name = item["$ref"].split("/")[-2:]
        return self.components[kind][name]

    def schema_link(self, reference: str) -> str:
        name = reference.rsplit("/", 1)[-1]
        self.named.add(name)
        return f'<a href="#type-{html.escape(name)}">{html.escape(name)}</a>'

    def kind_of(self, schema: dict) -> str:
        """A type in words: `list of NewJob`, `string (uuid) or null`."""
        if not schema:
            return "any JSON"
        if "$ref" in schema:
            return self.schema_link(schema["$ref"])
        if "allOf" in schema:
            return self.kind_of_page(schema["allOf"])
        if "enum" in schema:
            return " | ".join(f"<code>{text(word)}</code>" for word in schema["enum"])
        kinds = schema.get("type", "object")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        words = [self.kind_word(kind, schema) for kind in kinds]
        return " or ".join(words) + self.bounds(schema)

    def kind_word(self, kind: str, schema: dict) -> str:
        if kind == "array":
            return "list of " + self.kind_of(schema.get("items", {}))
        form = schema.get("format")
        return f"{text(kind)} ({text(form)})" if form and kind != "null" else text(kind)

    def kind_of_page(self, parts: list) -> str:
        for part in parts:
            items = part.get("properties", {}).get("items", {}).get("items")
            if items:
                return "page of " + self.kind_of(items)
        return " and ".join(self.kind_of(part) for part in parts)

    @staticmethod
    def bounds(schema: dict) -> str:
        said = []
        for low, high in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
            if low in schema and high in schema:
                said.append(f"{schema[low]} to {schema[high]}")
        if "default" in schema:
            said.append(f"without it: {schema['default']}")
        return f"; {text('; '.join(said))}" if said else ""

    def rows(self, rows: list) -> str:
        lines = "".join(
            f"<tr><td><code>{text(name)}</code>{' <span class=soft>required</span>' if must else ''}</td>"
            f"<td>{kind}</td><td>{note}</td></tr>\n"
            for name, must, kind, note in rows
        )
        return f"<table>\n{lines}</table>\n"

    def fields(self, schema: dict) -> str:
        must = schema.get("required", [])
        return self.rows(
            [
                (name, name in must, self.kind_of(field), text(field.get("description", "")))
                for name, field in schema.get("properties", {}).items()
            ]
        )

    def parameters(self, parameters: list) -> str:
        if not parameters:
            return ""
        rows = [
            (
                item["name"],
                item.get("required", False),
                f"{self.kind_of(item.get('schema', {}))} <span class=soft>in the {text(item['in'])}</span>",
                text(item.get("description", "")),
            )
            for item in parameters
        ]
        return "<h3>Parameters</h3>\n" + self.rows(rows)

    def body(self, body: dict | None) -> str:
        if body is None:
            return ""
        out = f"<h3>Body{'' if body.get('required') else ' (may be left out)'}</h3>\n"
        for kind, media in body["content"].items():
            schema = media.get("schema", {})
            out += f"<p><code>{text(kind)}</code>: {self.kind_of(schema)}</p>\n"
            fields = self.resolved(schema)
            if "properties" in fields:
                out += self.fields(fields)
        return out

    def request(self, method: str, path: str, operation: dict, parameters: list) -> str:
        url = re.sub(r"\{(\w+)\}", lambda found: "$" + found.group(1).upper(), path)
        query = [f"{p['name']}={p['example']}" for p in parameters if p["in"] == "query" and "example" in p]
        url += "?" + "&".join(query) if query else ""
        words = [f'curl -X {method.upper()} "$URL{url}"' if method != "get" else f'curl "$URL{url}"']
        if operation.get("security") != []:
            words.append('-H "Authorization: Bearer $KEY"')
        for kind, media in operation.get("requestBody", {}).get("content", {}).items():
            words.append(f'-H "Content-Type: {kind}"')
            example = media.get("example")
            if isinstance(example, str):
                words.append(f"--data-binary {shlex.quote(example)}")
            elif example is not None:
                words.append(f"-d {shlex.quote(json.dumps(example, ensure_ascii=False))}")
            break
        new_line = " \\\n  "
        return f"<h3>Call</h3>\n<pre>{html.escape(new_line.join(words))}</pre>\n"

    def answers(self, responses: dict) -> str:
        out, errors = "<h3>Answers</h3>\n", []
        for status, response in responses.items():
            if "$ref" in response:
                errors.append(f'<a href="#error-{text(status)}">{text(status)}</a>')
                continue
            media = next(iter(response.get("content", {}).items()), None)
            what = ""
            if media is not None:
                kind, content = media
                schema = content.get("schema", {})
                what = f": {self.kind_of(schema)}" if kind == "application/json" else f": <code>{text(kind)}</code>"
            out += f"<p><b>{text(status)}</b> {text(response['description'])[:-1]}{what}.</p>\n"
            if media is not None and "example" in media[1]:
                out += pretty(media[1]["example"]) + "\n"
        return out + (f"<p class=soft>Errors: {', '.join(errors)}</p>\n" if errors else "")

    def operation(self, method: str, path: str, operation: dict, shared: list) -> str:
        parameters = [self.resolved(item) for item in shared + operation.get("parameters", [])]
        return (
            f'<details id="{text(operation["operationId"])}"><summary><b class={method}>{method.upper()}</b>'
            f"<code>{text(path)}</code> <span class=soft>{text(operation['summary'])}</span></summary><div>\n"
            f"<p>{text(operation.get('description', ''))}</p>\n"
            + self.parameters(parameters)
            + self.body(operation.get("requestBody"))
            + self.request(method, path, operation, parameters)
            + self.answers(operation["responses"])
            + "</div></details>\n"
        )

    def operations(self, tag: str) -> str:
        out = ""
        for path, item in self.document["paths"].items():
            shared = item.get("parameters", [])
            for method, operation in item.items():
                if method != "parameters" and tag in operation["tags"]:
                    out += self.operation(method, path, operation, shared)
        return out

    def errors(self) -> str:
        out = '<h2 id="errors">Errors</h2>\n<table>\n'
        for name, response in self.components.get("responses", {}).items():
            status = name.lstrip("E")
            out += (
                f'<tr id="error-{text(status)}"><td>{text(status)}</td>'
                f"<td>{text(response['description'])}</td></tr>\n"
            )
        return out + "</table>\n"

    def types(self) -> str:
        out, done = "", set()
        while self.named - done:  # a table may name further types
            for name in sorted(self.named - done):
                done.add(name)
                schema = self.components["schemas"][name]
                out += (
                    f'<details id="type-{text(name)}" open><summary><code>{text(name)}</code> '
                    f"<span class=soft>{text(schema.get('description', ''))}</span></summary><div>\n"
                    f"{self.fields(schema)}</div></details>\n"
                )
        return '<h2 id="types">Types</h2>\n' + out

    def whole(self) -> str:
        info = self.document["info"]
        tags = self.document["tags"]
        sections = "".join(
            f'<h2 id="{text(tag["name"])}">{text(tag["name"])}</h2>\n<p class=soft>{text(tag["description"])}</p>\n'
            + self.operations(tag["name"])
            for tag in tags
        )
        links = "".join(f'<a href="#{text(tag["name"])}">{text(tag["name"])}</a>\n' for tag in tags)
        start = (
            "jobforge keys create me --role Admin\n"
            f"URL={self.document['servers'][0]['url']}; KEY=jf_...\n"
            'curl "$URL/v1/jobs" -H "Authorization: Bearer $KEY"'
        )
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f"<title>{text(info['title'])} API</title>\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<style>{STYLE}</style></head><body>\n"
            f"<h1>{text(info['title'])} API</h1>\n<p class=soft>{text(info['summary'])}</p>\n"
            f"{paragraphs(info['description'])}\n<pre>{html.escape(start)}</pre>\n"
            '<p>For generators of clients: <a href="/v1/openapi.yaml">openapi.yaml</a>.</p>\n'
            f'<nav>\n{links}<a href="#errors">Errors</a>\n<a href="#types">Types</a>\n</nav>\n'
            f"{sections}{self.errors()}{self.types()}</body></html>\n"
        )


def main() -> None:
    source, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    document = yaml.safe_load(source.read_text(encoding="utf-8"))
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(Page(document).whole(), encoding="utf-8")


if __name__ == "__main__":
    main()
