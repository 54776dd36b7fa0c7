import { type Mutation, mutation } from './mutation.ts'

const AUTHENTICATE = 'src/service/http/authenticate.ts'
const VIDEO = 'src/contract/video.ts'
const LIMITS = 'src/service/http/rate-limit.ts'
const UNKNOWN_KEY = 'if (account === undefined) throw new InvalidKeyError()'

/** Faults of what is let in: keys, limits, addresses and bodies. */
export const REQUEST_MUTATIONS: readonly Mutation[] = [
  mutation(
    'clip-without-401',
    'an order of a clip with a wrong key is no 401',
    AUTHENTICATE,
    UNKNOWN_KEY,
    `if (account === undefined) throw request.url.includes('/videos/') ? new Refusal(403, 'Not for this key.') : new InvalidKeyError()`,
  ),
  {
    name: 'models-for-any-key',
    breaks: 'a wrong key reads the models',
    edits: [
      {
        file: AUTHENTICATE,
        find: UNKNOWN_KEY,
        replace: `if (account === undefined && !request.url.endsWith('/chats/models')) throw new InvalidKeyError()`,
      },
      {
        file: AUTHENTICATE,
        find: 'request.account = account\n',
        replace: `request.account = account ?? { id: 0, keyId: '' }\n`,
      },
    ],
  },
  mutation(
    'chats-5',
    '5 chats a minute are answered',
    LIMITS,
    'requestsMax: 30,',
    'requestsMax: 5,',
  ),
  mutation(
    'chats-29',
    '29 chats a minute are answered',
    LIMITS,
    'requestsMax: 30,',
    'requestsMax: 29,',
  ),
  mutation(
    'chats-unlimited',
    'any number of chats is answered',
    LIMITS,
    'requestsMax: 30,',
    'requestsMax: 3000,',
  ),
  mutation(
    'clips-unlimited',
    'any number of clips is taken',
    LIMITS,
    'requestsMax: 3, windowMs',
    'requestsMax: 300, windowMs',
  ),
  mutation(
    'clips-1',
    'one clip a minute is taken',
    LIMITS,
    'requestsMax: 3, windowMs',
    `requestsMax: path.startsWith('videos') ? 1 : 3, windowMs`,
  ),
  mutation(
    'secrets-unlimited',
    'the secret is read as often as one likes',
    LIMITS,
    'requestsMax: 10,',
    'requestsMax: 1000,',
  ),
  mutation(
    'secrets-3',
    'the secret is read three times a minute',
    LIMITS,
    'requestsMax: 10,',
    'requestsMax: 3,',
  ),
  mutation(
    'polls-unlimited',
    'a task is polled as often as one likes',
    'src/service/generation/poll-task.ts',
    'const POLL_INTERVAL_MS = 3000',
    'const POLL_INTERVAL_MS = 1',
  ),
  mutation(
    'private-callback',
    'a callback may go to 10/8',
    'src/platform/http/public-address.ts',
    `if (address.range() !== 'unicast') return false`,
    `if (address.range() !== 'unicast' && !text.startsWith('10.')) return false`,
  ),
  mutation(
    'long-callback',
    'a callback URL may have more than 500 characters',
    'src/service/callback/callback-target.ts',
    'if (text.length <= CALLBACK_URL_CHARS_MAX) return',
    'if (text.length <= 5000) return',
  ),
  {
    name: '1080p-10s',
    breaks: '1080p is taken with 10 s',
    edits: [
      {
        file: VIDEO,
        find: `if (request.quality === '1080p' && request.duration === 10) {`,
        replace: 'if (request.prompt === undefined) {',
      },
      {
        file: VIDEO,
        find: `return \`vidgen-\${quality}-\${duration}s\``,
        replace: `return \`vidgen-\${quality}-\${quality === '1080p' ? 5 : duration}s\``,
      },
    ],
  },
  mutation(
    'no-aspect-ratio',
    'a clip from text needs no aspect_ratio',
    VIDEO,
    'if (request.image_url === undefined && request.aspect_ratio === undefined) {',
    'if (request.prompt === undefined) {',
  ),
  mutation(
    'long-prompt',
    'a prompt may have more than 5000 characters',
    VIDEO,
    'prompt: Type.String({ minLength: 1, maxLength: PROMPT_CHARS_MAX }),',
    'prompt: Type.String({ minLength: 1 }),',
  ),
]
