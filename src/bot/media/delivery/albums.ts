const ALBUM_FILES_MAX = 10

/** Parts results into albums that are as even as can be: one of a single file would be none. */
export function toAlbums<T>(results: readonly T[]): T[][] {
  const size = Math.ceil(results.length / Math.ceil(results.length / ALBUM_FILES_MAX))
  const albums: T[][] = []
  for (let at = 0; at < results.length; at += size) albums.push(results.slice(at, at + size))
  return albums
}
