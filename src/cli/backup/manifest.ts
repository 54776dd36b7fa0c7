/** What the server's manifest says of one file. WAL has no line of its own there. */
interface ManifestFile {
  Path?: string
  /** In hex, of a name that is no UTF-8. */
  'Encoded-Path'?: string
  Size: number
  Checksum: string
}

/**
 * Makes sure that the files arrived as the server sent them.
 *
 * @param manifest What came after the archive.
 * @param sums SHA-256 by path below the data directory, in hex.
 * @throws If a file is missing or differs.
 * @see https://www.postgresql.org/docs/18/backup-manifest-format.html
 */
export function checkManifest(manifest: Buffer, sums: ReadonlyMap<string, string>): void {
  const { Files: files } = JSON.parse(manifest.toString()) as { Files: ManifestFile[] }
  for (const { Path, 'Encoded-Path': encoded = '', Checksum } of files) {
    const path = Path ?? Buffer.from(encoded, 'hex').toString()
    if (sums.get(path) !== Checksum) {
      throw new Error(`Cannot back up: "${path}" did not arrive as the server sent it`)
    }
  }
}
