-- Nothing ever wrote or read it.
alter table alert_sessions drop column session_metadata;
