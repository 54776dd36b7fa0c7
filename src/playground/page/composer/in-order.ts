/** The end of what was begun last, by key. */
const lastOf = new Map<string, Promise<unknown>>()

/** Begins an action when those begun before it under the same key have ended, however they did. */
export function inOrder<T>(key: string, action: () => Promise<T>): Promise<T> {
  const begun = (lastOf.get(key) ?? Promise.resolve()).then(action)
  // The caller hears of a failure; those that wait only for their turn need not.
  const ended = begun.catch(() => undefined)
  lastOf.set(key, ended)
  void ended.then(() => {
    if (lastOf.get(key) === ended) lastOf.delete(key)
  })
  return begun
}
