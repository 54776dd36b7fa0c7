import { encode } from './encode.ts'
import type { StoreWrites } from './store.ts'

/** Values by their kind and key. One that changes is another value, not the same one with other fields. */
export type NoteValues = Readonly<Record<string, ReadonlyMap<string | number, unknown>>>

/** Finds which values are others than those that were written last. */
export function createNoteChanges() {
  let written: NoteValues = {}
  return { find }

  /** @returns `commit` is to be called when they have been written. */
  function find(values: NoteValues): { writes: StoreWrites['notes']; commit: () => void } {
    const writes = Object.entries(values).flatMap(([kind, now]) => {
      const before = written[kind] ?? new Map()
      return [
        ...[...now].filter(([key, value]) => before.get(key) !== value),
        ...[...before.keys()]
          .filter((key) => !now.has(key))
          .map((key) => [key, undefined] as const),
      ].map(([key, value]) => ({
        kind,
        key: JSON.stringify(key),
        value: value === undefined ? undefined : encode(value),
      }))
    })
    const copies = Object.entries(values).map(([kind, now]) => [kind, new Map(now)])
    return { writes, commit: () => (written = Object.fromEntries(copies)) }
  }
}
