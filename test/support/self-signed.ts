import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** The identifiers of X.509, as DER bytes. */
const ECDSA_WITH_SHA256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'))

/** A certificate that its owner signed, as bots without a domain give Telegram one. */
export function makeSelfSigned(commonName: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = nameOf(commonName)
  const body = der(
    0x30,
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: toPem(der(0x30, body, ECDSA_WITH_SHA256, signatureOf(body, privateKey))),
  }
}

function nameOf(commonName: string): Buffer {
  return der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(commonName)))))
}

function signatureOf(body: Buffer, key: KeyObject): Buffer {
  return der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, key)]))
}

function toPem(certificate: Buffer): string {
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

/** One value of ASN.1 with its tag and length. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const size = value.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), value])
}
