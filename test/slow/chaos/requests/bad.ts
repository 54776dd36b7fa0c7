interface BadRequest {
  method?: 'GET' | 'POST'
  path: string
  body: string
  headers?: Record<string, string>
  authorization?: string
  expected: string
}

const JSON_TYPE = { 'content-type': 'application/json' }
const CLIP = { prompt: 'a boat', aspect_ratio: '1280:720' }
const CHAT = { model: 'alpha', messages: [{ role: 'user', content: 'Hello' }] }

/** Every kind of refusal that is the caller's own doing. */
export const BAD_REQUESTS: readonly BadRequest[] = [
  { path: '/chats/completions', body: JSON.stringify(CHAT), authorization: '', expected: '401' },
  clip(CLIP, { authorization: 'Bearer kopeck_0_wrong', expected: '401' }),
  { method: 'GET', path: '/nothing', body: '', expected: '404' },
  { method: 'GET', path: '/task/2147483647', body: '', expected: '404' },
  { method: 'GET', path: '/task/x', body: '', expected: '404' },
  chat('{"model":'),
  chat(JSON.stringify({ ...CHAT, model: 'omega' })),
  chat(JSON.stringify({ ...CHAT, messages: [] })),
  chat(JSON.stringify({ ...CHAT, max_tokens: '10' })),
  chat(JSON.stringify({ ...CHAT, max_tokens: 0 })),
  { ...chat(JSON.stringify(CHAT)), headers: { 'content-type': 'text/plain' }, expected: '415' },
  clip({ prompt: 'a boat' }),
  clip({ ...CLIP, quality: '1080p', duration: 10 }),
  clip({ ...CLIP, prompt: '' }),
  clip({ ...CLIP, prompt: 'x'.repeat(5001) }),
  clip(CLIP, { headers: { ...JSON_TYPE, 'x-callback-url': 'http://127.0.0.1:1/private' } }),
  clip(CLIP, { headers: { ...JSON_TYPE, 'x-callback-url': 'ftp://example.com/' } }),
  clip(CLIP, { headers: { ...JSON_TYPE, 'idempotency-key': 'x'.repeat(256) } }),
]

function chat(body: string): BadRequest {
  return { path: '/chats/completions', body, expected: '422' }
}

function clip(body: object, rest: Partial<BadRequest> = {}): BadRequest {
  return { path: '/videos/vidgen-generate', body: JSON.stringify(body), expected: '422', ...rest }
}
