#!/usr/bin/env python3
"""The page of the API's description: what it says is text, and what it names is there."""
import re
import sys
import unittest

import house

sys.path.insert(0, str(house.ROOT / "cmake"))
import api_page  # noqa: E402
import yaml  # noqa: E402

SMALL = {
    "info": {"title": "T", "summary": "S", "description": "One `code`.\n\nTwo <b>."},
    "servers": [{"url": "http://127.0.0.1:1"}],
    "tags": [{"name": "Things", "description": "All & sundry."}],
    "paths": {
        "/v1/things/{thing_id}": {
            "parameters": [{"name": "thing_id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "post": {
                "operationId": "change_thing",
                "tags": ["Things"],
                "summary": "a: <i>&",
                "description": "Needs `p`.",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Thing"},
                            "example": {"name": "it's <x>"},
                        }
                    }
                },
                "responses": {
                    "200": {"description": "Done.", "content": {"application/json": {"schema": {"type": "string"}}}},
                    "409": {"$ref": "#/components/responses/E409"},
                },
            },
        }
    },
    "components": {
        "responses": {"E409": {"description": "Not <now>."}},
        "schemas": {
            "Thing": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": ["string", "null"], "maxLength": 5, "minLength": 1},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}},
                },
            },
            "Part": {"type": "object", "properties": {"kind": {"enum": ["A", "B"]}}},
            "Unused": {"type": "object"},
        },
    },
}


class ApiPageTest(unittest.TestCase):
    def setUp(self) -> None:
        self.page = api_page.Page(SMALL).whole()

    def test_what_a_description_says_is_text_and_not_markup(self) -> None:
        self.assertIn("<p>One <code>code</code>.</p>\n<p>Two &lt;b&gt;.</p>", self.page)
        self.assertIn("a: &lt;i&gt;&amp;", self.page)
        self.assertIn("Not &lt;now&gt;.", self.page)
        self.assertNotIn("<x>", self.page)

    def test_the_call_is_one_for_a_shell(self) -> None:
        self.assertIn("curl -X POST &quot;$URL/v1/things/$THING_ID&quot; \\\n  -H", self.page)
        self.assertIn("-d &#x27;{&quot;name&quot;: &quot;it&#x27;&quot;&#x27;&quot;&#x27;s &lt;x&gt;&quot;}&#x27;", self.page)

    def test_types_are_told_in_words_and_with_their_own_types(self) -> None:
        self.assertIn("string or null; 1 to 5", self.page)
        self.assertIn('list of <a href="#type-Part">Part</a>', self.page)
        self.assertIn("<code>A</code> | <code>B</code>", self.page)
        self.assertNotIn("Unused", self.page)

    def test_every_link_of_the_real_page_leads_somewhere(self) -> None:
        source = house.ROOT / "src" / "api" / "openapi.yaml"
        page = api_page.Page(yaml.safe_load(source.read_text(encoding="utf-8"))).whole()
        places = re.findall(r'id="([^"]+)"', page)
        self.assertEqual(len(places), len(set(places)), "an id stands twice")
        links = set(re.findall(r'href="#([^"]+)"', page))
        self.assertGreater(len(links), 60)
        self.assertEqual(links - set(places), set())


if __name__ == "__main__":
    unittest.main()
