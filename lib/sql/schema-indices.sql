-- schema-indices.sql - the indices, which are made once all rows are there.
-- Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
CREATE INDEX event_row_name ON event_row (name_id);
CREATE INDEX event_row_ts ON event_row (trace, ts);
CREATE INDEX event_row_thread ON event_row (thread, ts) WHERE thread IS NOT NULL;
CREATE INDEX event_row_parent ON event_row (parent) WHERE parent IS NOT NULL;
CREATE INDEX event_row_at ON event_row (at) WHERE at IS NOT NULL;
CREATE INDEX work_call ON work (call);
CREATE INDEX work_at ON work (at);
CREATE INDEX work_op ON work (op);
CREATE INDEX span_what ON span (device, what, ts);
CREATE INDEX link_row_a ON link_row (a);
CREATE INDEX overlap_b ON overlap (b);
