/** Has the tasks of one key run after each other; those of different keys do not wait. */
export function createOneByOne<Key>() {
  const lasts = new Map<Key, Promise<unknown>>()
  return function oneByOne<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const before = lasts.get(key) ?? Promise.resolve()
    const result = before.then(task)
    const last = result
      .catch(() => {}) // Its caller has the error.
      .finally(() => {
        if (lasts.get(key) === last) lasts.delete(key)
      })
    lasts.set(key, last)
    return result
  }
}
