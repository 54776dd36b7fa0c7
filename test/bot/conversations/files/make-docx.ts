import { crc32, deflateRawSync } from 'node:zlib'

/** One file of a ZIP. */
export interface Packed {
  name: string
  /** Its text, or what it is packed as and how long its headers say that it is. */
  content: string | { packed: Buffer; declaredBytes: number }
}

const TYPES =
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
const RELATIONS =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'

/** Makes the bytes of a Word document with these paragraphs, and all else that is to be packed in it. */
export function makeDocx(paragraphs: readonly string[], others: readonly Packed[] = []): Buffer {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('')
  const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
  return makeZip([
    { name: '[Content_Types].xml', content: TYPES },
    { name: '_rels/.rels', content: RELATIONS },
    {
      name: 'word/document.xml',
      content: `<w:document ${space}><w:body>${body}</w:body></w:document>`,
    },
    ...others,
  ])
}

function makeZip(files: readonly Packed[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const { name, content } of files) {
    const { packed, declaredBytes } = typeof content === 'string' ? pack(content) : content
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(typeof content === 'string' ? crc32(content) : 0, 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(declaredBytes, 18)
    facts.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([mark(0x04034b50), facts, Buffer.from(name), packed])
    const ending = Buffer.alloc(14)
    ending.writeUInt32LE(offset, 10)
    const versionMadeBy = Buffer.from([20, 0])
    centrals.push(
      Buffer.concat([mark(0x02014b50), versionMadeBy, facts, ending, Buffer.from(name)]),
    )
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, mark(0x06054b50), end])
}

function pack(text: string) {
  return { packed: deflateRawSync(text), declaredBytes: Buffer.byteLength(text) }
}

function mark(signature: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(signature)
  return bytes
}
