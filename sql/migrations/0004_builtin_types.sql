-- The job types this product knows, with their policies. A policy is data: `jobforge types set`
-- changes it, and a type that an operator has already registered keeps what he chose.
insert into jobforge.job_types (type, description, backoff, backoff_base_seconds, default_priority, lease_seconds)
values
    ('test.echo', 'Returns its payload', 'jobforge', 300, 2, null),
    ('test.sleep', 'Sleeps for {"seconds": n}', 'jobforge', 300, 2, null),
    ('test.fail', 'Fails {"times": n} times, then succeeds; {"permanent": true} ends at once', 'jobforge', 300, 2, null),
    ('test.crash', 'Kills its worker with {"signal": "KILL"}; {"once": true} on the first attempt only', 'jobforge', 300, 2, null),
    ('INGEST_DOCUMENT', 'Text from an uploaded PDF or image', 'bpc', 300, 2, null),
    ('PARSE_FACTS', 'Facts from an uploaded document', 'bpc', 300, 2, null),
    ('BUILD_SNAPSHOT', 'Makes a data snapshot ready', 'bpc', 300, 2, null),
    ('COMPILE_PASSPORT', 'Compiles a passport from a sealed snapshot and published rules', 'bpc', 300, 1, null),
    ('SIGN_PASSPORT', 'Signs a compiled passport', 'bpc', 300, 1, null),
    ('GENERATE_QR', 'The QR code of a signed passport', 'bpc', 300, 2, null),
    ('RUN_RULE_TESTS', 'Runs the tests of a rule package', 'bpc', 300, 2, null),
    ('EXPORT_PASSPORT', 'A passport as PDF, JSON-LD or XML', 'bpc', 300, 3, null),
    ('DELIVER_WEBHOOK', 'Delivers an audit event to an endpoint', 'bpc', 300, 3, null),
    ('COLLECT_PRICES', 'Collects the prices of one intake from one source', 'source', 300, 2, 300),
    ('connector.http.request', 'One HTTP request', 'jobforge', 300, 2, null),
    ('connector.webhook.deliver', 'One signed webhook', 'jobforge', 300, 3, null),
    ('connector.report.generate', 'A report over the tenant''s own rows', 'jobforge', 300, 3, null)
on conflict (type) do nothing;
