import { join } from 'node:path'
import type { AllowedPair } from '../../platform/http/outside-url.ts'
import type { Proxies } from '../../platform/http/proxies.ts'
import type { ServiceConfig } from '../config/service-config.ts'
import { type Bucket, createBucket } from './bucket.ts'
import { createBucketStorage } from './bucket-storage.ts'
import type { DiskRoom } from './disk-room.ts'
import { createStorage, type Storage } from './storage.ts'

export interface StorageDeps {
  mediaDir: string
  allow: ReadonlySet<AllowedPair>
  /** Lead to where results are; without them the way is direct. The bucket is always reached directly. */
  proxies: Proxies | undefined
  bucket: Bucket | undefined
  room: DiskRoom
}

/** Opens the storage of results: on disk, or in the bucket if there is one. */
export function openStorage({ mediaDir, allow, proxies, bucket, room }: StorageDeps): Storage {
  const guard = { allow, proxies }
  if (bucket === undefined) return createStorage({ mediaDir, guard, room })
  const spoolDir = join(mediaDir, 'spool')
  const spool = createStorage({ mediaDir: spoolDir, guard, room })
  return createBucketStorage({ bucket, spool, spoolDir })
}

/** Opens the bucket of results, if the config has one. */
export function openBucket({ storage, keys }: ServiceConfig): Bucket | undefined {
  if (storage === undefined) return undefined
  const { bucket, endpoint, region, access_key_id_env, secret_access_key_env } = storage
  const accessKeyId = keys.get(access_key_id_env) ?? ''
  const secretAccessKey = keys.get(secret_access_key_env) ?? ''
  return createBucket({ bucket, endpoint, region, accessKeyId, secretAccessKey })
}
