import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import type { Answer, OpenBody } from '../../platform/http/http-client.ts'
import { createHttpClient, readDateMs } from '../../platform/http/http-client.ts'
import { toContentType } from '../../platform/http/media-type.ts'
import type { ServiceConfig } from '../config/service-config.ts'

/** A file may take as long as it takes: only silence is bounded. */
const TIMEOUTS = { connectMs: 10_000, silenceMs: 30_000 }
const HEADERS_MS_MAX = 30_000
const REGION_DEFAULT = 'us-east-1'
const EMPTY_HASH = createHash('sha256').digest('hex')

export type Bucket = ReturnType<typeof createBucket>

export interface BucketOptions {
  bucket: string
  endpoint: string
  region?: string | undefined
  accessKeyId: string
  secretAccessKey: string
}

export function openBucket({ storage, keys }: ServiceConfig): Bucket | undefined {
  if (storage === undefined) return undefined
  const { bucket, endpoint, region, access_key_id_env, secret_access_key_env } = storage
  const accessKeyId = keys.get(access_key_id_env) ?? ''
  const secretAccessKey = keys.get(secret_access_key_env) ?? ''
  return createBucket({ bucket, endpoint, region, accessKeyId, secretAccessKey })
}

/** Opens a bucket of objects in S3, or in anything that speaks its protocol. Nothing is asked of it yet. */
export function createBucket({
  bucket,
  endpoint,
  region = REGION_DEFAULT,
  accessKeyId,
  secretAccessKey,
}: BucketOptions) {
  const root = `${endpoint.replace(/\/+$/, '')}/${bucket}`
  const http = createHttpClient({ ...TIMEOUTS, reusesConnections: true })
  /** How far the bucket's clock is ahead of ours: it refuses what is signed at another time. */
  let aheadMs = 0
  return { put, read, has, remove, close: http.close }

  /** Puts a file under a name. The whole object is there afterwards, or none: its sum is part of the request. */
  async function put(name: string, path: string, signal: AbortSignal): Promise<void> {
    const { size } = await stat(path)
    const answer = await send('PUT', name, {
      hash: await hashFile(path, signal),
      headers: { 'content-type': toContentType(name), 'content-length': String(size) },
      body: createReadStream(path),
      signal,
    })
    await finish('put', answer, [200])
  }

  /** Asks for an object, or only for its headers. The caller reads the answer's body, or destroys it. */
  async function read(
    name: string,
    { method, range }: { method: 'GET' | 'HEAD'; range: string | undefined },
  ): Promise<Answer<OpenBody>> {
    return await send(method, name, { headers: range === undefined ? {} : { range } })
  }

  async function has(name: string): Promise<boolean> {
    const answer = await read(name, { method: 'HEAD', range: undefined })
    await finish('find', answer, [200, 404])
    return answer.status === 200
  }

  async function remove(name: string): Promise<void> {
    await finish('remove', await send('DELETE', name, {}), [200, 204, 404])
  }

  async function send(
    method: 'GET' | 'HEAD' | 'PUT' | 'DELETE',
    name: string,
    {
      hash = EMPTY_HASH,
      headers = {},
      body,
      signal,
    }: {
      hash?: string
      headers?: Record<string, string>
      body?: Readable
      signal?: AbortSignal
    },
  ): Promise<Answer<OpenBody>> {
    const url = `${root}/${name}`
    const signed = await new AwsV4Signer({
      method,
      url,
      headers: { ...headers, 'x-amz-content-sha256': hash },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      datetime: formatDatetime(Date.now() + aheadMs),
      region,
    }).sign()
    const answer = await http.open({
      method,
      url: signed.url.href,
      headers: Object.fromEntries(signed.headers),
      body,
      headersMs: HEADERS_MS_MAX,
      signal,
    })
    if (answer.outcome !== 'answered') throw answer.cause
    aheadMs = (readDateMs(answer.headers) ?? Date.now()) - Date.now()
    return answer
  }
}

async function finish(
  action: string,
  { status, body }: Answer<OpenBody>,
  expected: readonly number[],
): Promise<void> {
  await body.dump()
  if (expected.includes(status)) return
  throw new Error(`Cannot ${action} object: the bucket answered ${status}`)
}

function formatDatetime(ms: number): string {
  return new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, '')
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path, { signal })) hash.update(bytes)
  return hash.digest('hex')
}
