-- The login of the service, for psql: SERVICE_PASSWORD in the environment is its password. Running it again replaces the password.
\getenv password SERVICE_PASSWORD
SELECT 'CREATE ROLE catalog_service LOGIN IN ROLE catalog_reader' WHERE to_regrole('catalog_service') IS NULL \gexec
ALTER ROLE catalog_service PASSWORD :'password';
