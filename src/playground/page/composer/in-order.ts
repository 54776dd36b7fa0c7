const lastOf = new Map<string, Promise<unknown>>()

/** Runs an action after the earlier actions of the same key, whether they succeeded or not. */
export function inOrder<T>(key: string, action: () => Promise<T>): Promise<T> {
  const begun = (lastOf.get(key) ?? Promise.resolve()).then(action)
  lastOf.set(
    key,
    begun.catch(() => undefined),
  )
  return begun
}
