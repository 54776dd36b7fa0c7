import { type Static, Type } from 'typebox'
import { httpUrl, keyName, text } from './service-config-fields.ts'
import { type Env, findKeyProblems } from './service-config-problems.ts'

/** Where results are kept if not on disk. */
export interface S3Config {
  type: 's3'
  bucket: string
  /** Without the bucket. */
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Root under which anybody may read the objects; without it they are read through this service. */
  publicUrl?: string
}

const REGION_DEFAULT = 'us-east-1'

/** The part `storage` of the file that SERVICE_CONFIG names. */
export const StorageJson = Type.Object(
  {
    type: Type.Literal('s3', { description: 'a known storage type: s3' }),
    bucket: Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,62}$',
      description: 'the name of a bucket',
    }),
    endpoint: httpUrl,
    region: Type.Optional(text('the name of a region')),
    access_key_id_env: keyName,
    secret_access_key_env: keyName,
    public_url: Type.Optional(httpUrl),
  },
  { additionalProperties: false, description: 'an object that describes a bucket' },
)
export type StorageJson = Static<typeof StorageJson>

/** What no schema says about the part `storage`. Looks at whatever is there. */
export function findStorageProblems(json: unknown, env: Env): string[] {
  const { access_key_id_env, secret_access_key_env } = (json ?? {}) as Partial<StorageJson>
  return [
    ...findKeyProblems(access_key_id_env, 'storage.access_key_id_env', env),
    ...findKeyProblems(secret_access_key_env, 'storage.secret_access_key_env', env),
  ]
}

/** Makes the config of a part without problems. */
export function toS3Config(json: StorageJson, env: Env): S3Config {
  const { type, bucket, endpoint, region = REGION_DEFAULT, public_url } = json
  return {
    type,
    bucket,
    endpoint,
    region,
    accessKeyId: env[json.access_key_id_env] ?? '',
    secretAccessKey: env[json.secret_access_key_env] ?? '',
    ...(public_url !== undefined && { publicUrl: public_url.replace(/\/+$/, '') }),
  }
}
