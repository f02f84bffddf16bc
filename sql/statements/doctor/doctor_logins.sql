select d.login, d.tenant_id::text, d.spans from jobforge.doctor_logins() d
