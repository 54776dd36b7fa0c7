import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example secret' }
const REGION = 'eu-test-1'
const SKEW_MS_MAX = 15 * 60_000
const BUCKET = 'kopeck-results'

/** A refusal that the server makes next, instead of the work. */
export interface Fault {
  status: number
}

/**
 * One bucket of S3 on a free port: it checks each signature (Signature Version 4) and the sum of each
 * body, refuses what is signed more than 15 minutes off its clock, and knows PUT, GET and HEAD with ranges, and DELETE of whole objects.
 */
export async function startS3({ region = REGION, aheadMs = 0 } = {}) {
  const objects = new Map<string, { bytes: Buffer; type: string | undefined }>()
  const faults: Fault[] = []
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    calls.push(`${request.method} ${request.url}`)
    const fault = faults.shift()
    if (fault !== undefined) return response.writeHead(fault.status).end()
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
    if (!isSigned(request, body, region) || !isInTime(request, Date.now() + aheadMs))
      return response.writeHead(403).end('<Code>AccessDenied</Code>')
    const name = request.url?.replace(`/${BUCKET}/`, '') ?? ''
    const object = objects.get(name)
    switch (request.method) {
      case 'PUT':
        objects.set(name, { bytes: body, type: request.headers['content-type'] })
        return response.writeHead(200).end()
      case 'DELETE':
        objects.delete(name)
        return response.writeHead(204).end()
      default: {
        if (object === undefined) return response.writeHead(404).end('<Code>NoSuchKey</Code>')
        const { status, from, to } = toRange(request.headers.range, object.bytes.length)
        const part = object.bytes.subarray(from, to)
        response.writeHead(status, {
          'content-type': 'binary/octet-stream',
          'content-length': part.length,
          ...(status !== 200 && {
            'content-range':
              status === 416
                ? `bytes */${object.bytes.length}`
                : `bytes ${from}-${to - 1}/${object.bytes.length}`,
          }),
        })
        return response.end(request.method === 'HEAD' ? undefined : part)
      }
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    objects,
    faults,
    calls,
    config: {
      bucket: BUCKET,
      endpoint: `http://127.0.0.1:${port}/`,
      region,
      ...KEYS,
    },
  }
}

function isInTime({ headers }: IncomingMessage, now: number): boolean {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date']))
  const [year = 0, month = 0, ...rest] = parts?.slice(1).map(Number) ?? []
  return Math.abs(Date.UTC(year, month - 1, ...rest) - now) < SKEW_MS_MAX
}

function toRange(range: string | undefined, length: number) {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (first === '' && last === '') return { status: 200, from: 0, to: length }
  const from = first === '' ? length - Number(last) : Number(first)
  const to = first === '' || last === '' ? length : Math.min(length, Number(last) + 1)
  return from < length ? { status: 206, from, to } : { status: 416, from: 0, to: 0 }
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function isSigned(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  region: string,
): boolean {
  const date = String(headers['x-amz-date'])
  const sum = createHash('sha256').update(body).digest('hex')
  const match = /SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '',
  )
  if (match === null || headers['x-amz-content-sha256'] !== sum) return false
  const [, names = '', signature] = match
  const signedHeaders = names.split(';').map((name) => `${name}:${headers[name]}\n`)
  const canonical = [method, url, '', signedHeaders.join(''), names, sum].join('\n')
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`
  const toSign = [
    'AWS4-HMAC-SHA256',
    date,
    scope,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n')
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${KEYS.secretAccessKey}`)
  return (
    names.split(';').includes('host') &&
    headers.authorization?.includes(`Credential=${KEYS.accessKeyId}/${scope}`) === true &&
    hmac(key, toSign).toString('hex') === signature
  )
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
