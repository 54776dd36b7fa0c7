import { deflateSync } from 'node:zlib'

/** The content of a page: lines of Latin letters, or the content as it is packed. */
export type PdfPage = string | { packed: Buffer }

const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
/** A standard handler whose keys fit no password. */
const LOCK = `/ID[<01><02>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${'41'.repeat(32)}>/U<${'42'.repeat(32)}>>>`

/** Makes the bytes of a PDF with these pages. */
export function makePdf(pages: readonly PdfPage[], { isEncrypted = false } = {}): Buffer {
  const parts: Buffer[] = []
  const offsets: number[] = []
  let length = 0
  put('%PDF-1.4\n')
  const pageIds = pages.map((_, index) => 4 + 2 * index)
  putObject('<</Type/Catalog/Pages 2 0 R>>')
  const kids = pageIds.map((id) => `${id} 0 R`).join(' ')
  putObject(`<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`)
  putObject(FONT)
  for (const [index, page] of pages.entries()) {
    const content = `${(pageIds[index] ?? 0) + 1} 0 R`
    const resources = '/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>'
    putObject(`<</Type/Page/Parent 2 0 R${resources}/Contents ${content}>>`)
    const packed = typeof page === 'string' ? deflateSync(draw(page)) : page.packed
    putObject(`<</Length ${packed.length}/Filter/FlateDecode>>\nstream\n`, packed, '\nendstream')
  }
  const tableAt = length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  put(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows.join('')}`)
  const lock = isEncrypted ? LOCK : ''
  put(`trailer\n<</Size ${offsets.length + 1}/Root 1 0 R${lock}>>\nstartxref\n${tableAt}\n%%EOF`)
  return Buffer.concat(parts)

  function putObject(...content: (string | Buffer)[]): void {
    offsets.push(length)
    put(`${offsets.length} 0 obj\n`, ...content, '\nendobj\n')
  }

  function put(...content: (string | Buffer)[]): void {
    for (const piece of content) {
      const bytes = Buffer.from(piece as string, 'latin1')
      parts.push(bytes)
      length += bytes.length
    }
  }
}

function draw(text: string): Buffer {
  const lines = text.split('\n').map((line) => `(${line}) Tj T*`)
  return Buffer.from(`BT /F1 12 Tf 50 750 Td 14 TL ${lines.join(' ')} ET`, 'latin1')
}
