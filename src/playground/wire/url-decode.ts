/** Decodes what is percent-encoded in UTF-8. A `%` that begins nothing stays, as in Telegram's own server. */
export function urlDecode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString(),
  )
}
