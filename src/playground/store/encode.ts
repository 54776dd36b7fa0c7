import type { StoredFile } from '../world/files.ts'

/** A value that JSON does not have is written as an object with one of these names alone. */
const MAP = '@map'
const SET = '@set'
const FILE = '@file'
/** An object of the bot's own that has such a name: its entries. */
const OBJECT = '@object'
const NAMES = [MAP, SET, FILE, OBJECT]

/** Writes a value of the playground as JSON. Of a file it has the unique id alone. */
export function encode(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) => {
    if (field instanceof Map) return { [MAP]: [...field] }
    if (field instanceof Set) return { [SET]: [...field] }
    if (isFile(field)) return { [FILE]: field.uniqueId }
    return isMistakable(field) ? { [OBJECT]: Object.entries(field) } : field
  })
}

/** Reads it again; each file is the one that is known by its id. */
export function decode(text: string, fileOf: (uniqueId: string) => StoredFile): unknown {
  return JSON.parse(text, (_name, field: unknown) => {
    if (typeof field !== 'object' || field === null) return field
    if (MAP in field) return new Map(field[MAP] as [unknown, unknown][])
    if (SET in field) return new Set(field[SET] as unknown[])
    if (OBJECT in field) return Object.fromEntries(field[OBJECT] as [string, unknown][])
    return FILE in field ? fileOf(field[FILE] as string) : field
  })
}

/** Bots may put any field into a keyboard. */
function isMistakable(field: unknown): field is object {
  return typeof field === 'object' && field !== null && NAMES.some((name) => name in field)
}

function isFile(field: unknown): field is StoredFile {
  return typeof field === 'object' && field !== null && 'uniqueId' in field && 'mime' in field
}
