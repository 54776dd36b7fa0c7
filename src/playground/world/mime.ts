/** Clients of the Bot API rarely name a type, so Telegram tells it from the name. */
const MIMES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  wav: 'audio/x-wav',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  tgs: 'application/x-tgsticker',
  webm: 'video/webm',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  pdf: 'application/pdf',
  zip: 'application/zip',
  json: 'application/json',
  csv: 'text/csv',
  txt: 'text/plain',
}

/** The type of a file: as its sender says, or by its name. */
export function tellMime({ mime, fileName }: { mime: string; fileName: string }): string {
  const extension = fileName.split('.').at(-1)?.toLowerCase() ?? ''
  const isTold = mime !== '' && mime !== 'application/octet-stream'
  return isTold ? mime : (MIMES[extension] ?? 'application/octet-stream')
}
