import { type Static, Type } from 'typebox'
import { httpUrl, keyName, text } from './fields.ts'

/** Where results are kept if not on disk. */
export const StorageConfig = Type.Object(
  {
    type: Type.Literal('s3', { description: 'a known storage type: s3' }),
    bucket: Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,62}$',
      description: 'the name of a bucket',
    }),
    /** Without the bucket. */
    endpoint: httpUrl,
    region: Type.Optional(text('the name of a region')),
    access_key_id_env: keyName,
    secret_access_key_env: keyName,
    /** Root under which anybody may read the objects; without it they are read through this service. */
    public_url: Type.Optional(httpUrl),
  },
  { additionalProperties: false, description: 'an object that describes a bucket' },
)
export type StorageConfig = Static<typeof StorageConfig>
