/** Makes a function that does its work the first time, and has the same outcome ever after. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let outcome: Promise<T> | undefined
  return () => (outcome ??= work())
}
