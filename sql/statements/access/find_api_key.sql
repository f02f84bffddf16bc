select tenant_id, secret_mac, roles, status, expired, version, access_version, policies
from jobforge.find_api_key($1)
