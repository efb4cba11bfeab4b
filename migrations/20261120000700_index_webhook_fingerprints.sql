-- A webhook's "it is over" names the trouble, not the occurrence: find the newest session of
-- it, ended or not. Only where such news come from; alerts of the API never resolve.
create index alert_sessions_webhook_fingerprint on alert_sessions (fingerprint, started_at_us desc)
    where source not in ('api', 'alertmanager', 'grafana');
