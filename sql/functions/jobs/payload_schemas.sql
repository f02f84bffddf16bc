-- What the payloads of the connectors must look like: checked when a job is enqueued, and once more
-- by its handler. This file is their one home; it is applied again whenever it changes, over
-- whatever was set by hand: a schema here is what the handler understands, not a policy.

update jobforge.job_types t set payload_schema = $schema$
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "connector.http.request",
  "description": "One HTTP request to the outside world",
  "type": "object",
  "required": ["url"],
  "additionalProperties": false,
  "properties": {
    "url": {"type": "string", "format": "uri"},
    "method": {
      "description": "Default GET",
      "enum": ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
    },
    "headers": {
      "type": "object",
      "additionalProperties": {"type": "string", "maxLength": 8192}
    },
    "body": {"description": "A string is sent as it is, any other JSON value as JSON"},
    "timeout_ms": {
      "description": "For everything together; default 30000",
      "type": "integer", "minimum": 1, "maximum": 300000
    },
    "accept_status": {
      "description": "Answers that are a success: 404, or 4xx for all of them; default 2xx",
      "type": "array", "minItems": 1, "maxItems": 50,
      "items": {
        "type": ["integer", "string"],
        "minimum": 100, "maximum": 599, "pattern": "^[1-5]xx$"
      }
    },
    "max_response_bytes": {
      "description": "More of the body than this is cut off; default 1048576",
      "type": "integer", "minimum": 1, "maximum": 10485760
    },
    "follow_redirects": {"description": "Default 0", "type": "integer", "minimum": 0, "maximum": 10},
    "allowlist": {
      "description": "Hosts that may be called, *.example.com for everything below example.com",
      "type": "array", "minItems": 1, "maxItems": 100,
      "items": {"type": "string", "maxLength": 255, "pattern": "^([*][.])?[0-9a-z:]([0-9a-z.:-]*[0-9a-z:])?$"}
    },
    "redact_headers": {
      "description": "Headers of the answer whose values are not kept",
      "type": "array", "maxItems": 50,
      "items": {"type": "string", "minLength": 1, "maxLength": 100}
    },
    "auth": {
      "type": "object",
      "required": ["type", "secret_ref"],
      "additionalProperties": false,
      "properties": {
        "type": {"enum": ["bearer", "basic", "header"]},
        "secret_ref": {"type": "string", "pattern": "^[A-Za-z0-9_]{1,64}$"},
        "username": {
          "description": "Of basic; without it the secret is user:password",
          "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[^:]+$"
        },
        "header": {
          "description": "The header that carries the secret",
          "type": "string", "minLength": 1, "maxLength": 100
        }
      }
    }
  }
}
$schema$ where t.type = 'connector.http.request';

update jobforge.job_types t set payload_schema = $schema$
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "connector.webhook.deliver",
  "description": "One signed POST of an event",
  "type": "object",
  "required": ["target_url", "event_type", "event_id", "secret_ref"],
  "additionalProperties": false,
  "properties": {
    "target_url": {"type": "string", "format": "uri"},
    "event_type": {"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,128}$"},
    "event_id": {
      "description": "The same at every attempt: receivers drop repeats by it",
      "type": "string", "format": "uuid"
    },
    "data": {"description": "What happened; any JSON"},
    "secret_ref": {"type": "string", "pattern": "^[A-Za-z0-9_]{1,64}$"},
    "signature_algo": {"description": "Default sha256", "enum": ["sha256", "sha512"]},
    "timeout_ms": {
      "description": "For everything together; default 10000",
      "type": "integer", "minimum": 1, "maximum": 60000
    }
  }
}
$schema$ where t.type = 'connector.webhook.deliver';

update jobforge.job_types t set payload_schema = $schema$
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "connector.report.generate",
  "description": "A report over the tenant's own rows",
  "type": "object",
  "required": ["report_type"],
  "additionalProperties": false,
  "properties": {
    "report_type": {"enum": ["usage-summary", "job-analytics", "tenant-usage"]},
    "period": {
      "description": "From (inclusive) to (exclusive), UTC: a date, or a time that ends in Z",
      "type": "object",
      "required": ["from", "to"],
      "additionalProperties": false,
      "properties": {
        "from": {
          "type": "string",
          "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z)?$"
        },
        "to": {
          "type": "string",
          "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?Z)?$"
        }
      }
    },
    "format": {
      "description": "Default json",
      "type": "array", "minItems": 1, "maxItems": 3,
      "items": {"enum": ["json", "html", "csv"]}
    },
    "options": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "title": {
          "description": "The headline of the page; default the report's name",
          "type": "string", "minLength": 1, "maxLength": 200
        },
        "top_n": {
          "description": "How many slowest types, errors, dead letters ... are listed; default 10",
          "type": "integer", "minimum": 1, "maximum": 1000
        },
        "timeout_ms": {
          "description": "The database computes at most this long; default 60000",
          "type": "integer", "minimum": 1, "maximum": 300000
        }
      }
    }
  }
}
$schema$ where t.type = 'connector.report.generate';
