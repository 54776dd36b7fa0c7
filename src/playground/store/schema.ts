/** Of what is kept; a store of another version is not read. */
export const VERSION = 1

/**
 * Everything is JSON under the key that it is found by. `notes` has all that is small: people, chats, the bot's
 * commands and texts, counters. Rows of files are in the order in which they came.
 */
export const SCHEMA = `
create table notes (
  kind text not null,
  key text not null,
  value text not null,
  primary key (kind, key)
) strict;

create table messages (
  chat_id integer not null,
  message_id integer not null,
  value text not null,
  primary key (chat_id, message_id)
) strict;

create table updates (
  update_id integer primary key,
  expires_at integer not null,
  value text not null
) strict;

create table files (
  number integer primary key,
  unique_id text not null unique,
  value text not null
) strict;

create table file_ids (
  number integer primary key,
  file_id text not null unique,
  unique_id text not null
) strict;
`
