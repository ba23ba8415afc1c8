-- schema.sql - the tables of events in a database of tl-sql, see tl-sql(5). Times are whole ns.
-- Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE trace (trace INTEGER PRIMARY KEY, path TEXT NOT NULL, source TEXT NOT NULL, rank INTEGER, ticks_per_us INTEGER NOT NULL,
  ts INTEGER, ts_end INTEGER, events INTEGER NOT NULL, links INTEGER NOT NULL, fractions INTEGER NOT NULL);
CREATE TABLE name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE thread (id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, process INTEGER, thread INTEGER, process_name TEXT, thread_name TEXT);
CREATE TABLE device (id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, rank INTEGER, process INTEGER, device INTEGER);
-- every event with a start. at..at_last: numbers of a host event and all below it in the call tree.
CREATE TABLE event_row (id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, uid INTEGER NOT NULL, kind TEXT NOT NULL, cat INTEGER, name_id INTEGER,
  ts INTEGER NOT NULL, dur INTEGER, ts_end INTEGER NOT NULL, thread INTEGER, parent INTEGER, depth INTEGER, at INTEGER, at_last INTEGER,
  step INTEGER, args TEXT);
-- device events only: one row more for each
CREATE TABLE work (id INTEGER PRIMARY KEY, device INTEGER NOT NULL, stream INTEGER, call INTEGER, at INTEGER, op INTEGER, top_op INTEGER, module INTEGER,
  class TEXT NOT NULL, category TEXT, bytes INTEGER, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER, block_x INTEGER, block_y INTEGER, block_z INTEGER);
-- links but those of the call tree, which event_row tells
CREATE TABLE link_row (trace INTEGER NOT NULL, type TEXT NOT NULL, a INTEGER NOT NULL, b INTEGER);
CREATE TABLE step (id INTEGER PRIMARY KEY, trace INTEGER NOT NULL, step INTEGER NOT NULL, ts INTEGER NOT NULL, dur INTEGER NOT NULL, ts_end INTEGER NOT NULL);
-- unions, by device: busy, idle, compute, comm, copy, exposed_comm, exposed_copy. before/after: device events at the ends of idle.
CREATE TABLE span (trace INTEGER NOT NULL, device INTEGER NOT NULL, what TEXT NOT NULL, ts INTEGER NOT NULL, dur INTEGER NOT NULL, ts_end INTEGER NOT NULL,
  before INTEGER, after INTEGER);
CREATE TABLE overlap (a INTEGER NOT NULL, b INTEGER NOT NULL, device INTEGER NOT NULL, dur INTEGER NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE VIEW event AS SELECT e.id, e.trace, e.uid, e.kind, c.name cat, n.name, e.ts, e.dur, e.ts_end, e.thread, e.parent, e.depth, e.at, e.at_last, e.step, e.args
  FROM event_row e LEFT JOIN name n ON n.id = e.name_id LEFT JOIN name c ON c.id = e.cat;
CREATE VIEW link AS SELECT trace, 'node' type, id a, parent b FROM event_row WHERE at IS NOT NULL UNION ALL SELECT trace, type, a, b FROM link_row;
CREATE VIEW arg AS SELECT e.id event, j.key, CASE WHEN j.type IN ('array', 'object') THEN j.value ELSE j.atom END value, j.type FROM event_row e, json_each(e.args) j;
CREATE VIEW device_event AS SELECT w.id, e.trace, e.uid, e.kind, w.device, w.stream, n.name, w.class, w.category, e.ts, e.dur, e.ts_end, e.step, w.call, cn.name call_name,
  e.ts - c.ts delay, w.op, pn.name op_name, w.top_op, tn.name top_op_name, w.module, mn.name module_name, w.bytes, w.grid_x, w.grid_y, w.grid_z, w.block_x, w.block_y, w.block_z, w.at, e.args
  FROM work w JOIN event_row e ON e.id = w.id LEFT JOIN name n ON n.id = e.name_id
  LEFT JOIN event_row c ON c.id = w.call LEFT JOIN name cn ON cn.id = c.name_id LEFT JOIN event_row p ON p.id = w.op LEFT JOIN name pn ON pn.id = p.name_id
  LEFT JOIN event_row t ON t.id = w.top_op LEFT JOIN name tn ON tn.id = t.name_id LEFT JOIN event_row m ON m.id = w.module LEFT JOIN name mn ON mn.id = m.name_id;
CREATE VIEW kernel AS SELECT * FROM device_event WHERE kind = 'kernel';
CREATE VIEW copy AS SELECT *, 1.0 * bytes / nullif(dur, 0) gb_s FROM device_event WHERE kind IN ('memcpy', 'memset');
CREATE VIEW op AS SELECT e.*, json_extract(args, '$."Input Dims"') dims, json_extract(args, '$."Input type"') types, json_extract(args, '$."Sequence number"') seq,
  dur - coalesce((SELECT sum(c.dur) FROM event_row c WHERE c.parent = e.id), 0) self FROM event e WHERE kind = 'cpu_op';
CREATE VIEW call AS SELECT * FROM event WHERE kind IN ('runtime', 'driver');
CREATE VIEW frame AS SELECT * FROM event WHERE kind = 'python';
CREATE VIEW annotation AS SELECT * FROM event WHERE kind = 'annotation';
CREATE VIEW counter AS SELECT id, trace, name, ts, json_extract(args, '$.value') value, args FROM event WHERE kind = 'counter';
CREATE VIEW gap AS SELECT trace, device, ts, dur, ts_end, before, after FROM span WHERE what = 'idle';
-- device events below a host event of the call tree
CREATE VIEW below AS SELECT h.id host, w.id work FROM event_row h JOIN work w ON w.at BETWEEN h.at AND h.at_last;
-- the ancestors of a host event, itself with distance 0
CREATE VIEW above AS SELECT e.id event, h.id host, e.depth - h.depth distance FROM event_row e JOIN event_row h ON h.at > ((e.trace - 1) << 40) AND h.at <= e.at AND h.at_last >= e.at;
-- device events whose call lies in an annotation, on its thread
CREATE VIEW launched_in AS SELECT r.id annotation, w.id work FROM event_row r JOIN event_row c ON c.thread = r.thread AND c.ts BETWEEN r.ts AND r.ts_end AND c.ts_end <= r.ts_end
  JOIN work w ON w.call = c.id WHERE r.kind = 'annotation';
