import { expect, test } from 'vitest'
import {
  findTarget,
  isPublicUrl,
  type Resolve,
  toOwnPairs,
} from '../../../src/platform/http/url-guard.ts'
import { HOSTILE_NAMES, HOSTILE_URLS } from './hostile-urls.ts'
import { openProxies } from './proxy-server.ts'

const URL_TEXT = 'https://hooks.example.com/'

function guardWith(resolve: Resolve, allow: string[] = []) {
  return { allow: new Set(allow), resolve, resolveMsMax: 100 }
}

test('findTarget() gives every address of a public name', async () => {
  const guard = guardWith(async () => [{ address: '8.8.8.8' }, { address: '2a00::1' }])

  expect(await findTarget(URL_TEXT, guard)).toEqual({
    url: new URL(URL_TEXT),
    addresses: ['8.8.8.8', '2a00::1'],
  })
})

test.each<[string, Resolve]>([
  ['never answers', () => new Promise(() => {})],
  ['fails', async () => Promise.reject(new Error('EAI_AGAIN'))],
  ['finds nothing', async () => []],
])(
  'a resolver that %s leaves a URL without a target, even where the pair is allowed',
  async (_name, resolve) => {
    for (const allow of [[], ['hooks.example.com:443']]) {
      expect(await findTarget(URL_TEXT, guardWith(resolve, allow))).toMatchObject({
        refusal: 'not_public',
      })
    }
  },
)

test.each(HOSTILE_URLS)('the URL %j has no target', async (url) => {
  const names = new Map([...HOSTILE_NAMES, ['hooks.example.com', ['93.184.215.14']]])
  const guard = guardWith(async (name) => (names.get(name) ?? []).map((address) => ({ address })))

  expect(await findTarget(url, guard)).toMatchObject({ problem: expect.stringMatching(/^must /) })
})

test('a name that does not exist and one that is private are refused in the same words', async () => {
  const guard = guardWith(async (name) =>
    name === 'a.example.com' ? [] : [{ address: '127.0.0.1' }],
  )

  const missing = await findTarget('https://a.example.com/', guard)

  const hidden = await findTarget('https://b.example.com/', guard)
  expect(missing).toMatchObject({ refusal: 'not_public', problem: expect.any(String) })
  expect(hidden).toEqual({ ...missing, isLasting: true })
})

test('a host that is an address is judged without a resolver', async () => {
  const guard = guardWith(async () => Promise.reject(new Error('asked')))

  expect(await findTarget('http://[2a00::1]:8080/', guard)).toMatchObject({
    addresses: ['2a00::1'],
  })
  expect(await findTarget('http://0x0a000001/', guard)).toMatchObject({
    refusal: 'not_public',
  })
})

test('what is below an allowed URL is let through, and nothing beside it on the same host', async () => {
  const guard = {
    ...guardWith(async () => [{ address: '127.0.0.1' }]),
    allowBelow: 'http://127.0.0.1:3000/callbacks/',
  }
  const isFound = async (url: string) => 'addresses' in (await findTarget(url, guard))

  expect(await isFound('http://127.0.0.1:3000/callbacks/7')).toBe(true)
  expect(await isFound('http://127.1:3000/x/../callbacks/7')).toBe(true)
  for (const url of [
    'http://127.0.0.1:3000/callbacks',
    'http://127.0.0.1:3000/callbacks/../metrics',
    'http://127.0.0.1:3000/callbacks/%2e%2e/metrics',
    'http://127.0.0.1:3000/api/v1/balance',
    'http://127.0.0.1:3001/callbacks/7',
    'http://user@127.0.0.1:3000/callbacks/7',
    'https://127.0.0.1:3000/callbacks/7',
    'http://localhost:3000/callbacks/7',
  ]) {
    expect([url, await isFound(url)]).toEqual([url, false])
  }
})

test('through a proxy no name is looked up, and what a URL shows of a private host is refused', async () => {
  const asked: string[] = []
  const resolve: Resolve = async (name) => {
    asked.push(name)
    return [{ address: '127.0.0.1' }]
  }
  const proxies = openProxies('http://127.0.0.1:1')
  const guard = {
    ...guardWith(resolve, ['files.lan:9000', '10.0.0.7:80', 'localhost:3000']),
    proxies,
  }
  const find = async (url: string) => {
    const target = await findTarget(url, guard)
    return 'refusal' in target ? target.refusal : [target.addresses, target.proxies === proxies]
  }

  expect(await find('https://hooks.example.com/')).toEqual([[], true])
  expect(await find('http://files.lan:9000/')).toEqual([[], true])
  expect(await find('http://8.8.8.8/')).toEqual([['8.8.8.8'], true])
  expect(await find('http://10.0.0.7/')).toEqual([['10.0.0.7'], true])
  expect(asked).toEqual([])
  // This machine's own servers are reached without it, where the operator allows them.
  expect(await find('http://localhost:3000/')).toEqual([['127.0.0.1'], false])
  for (const url of ['http://10.0.0.8/', 'http://0x7f.1/', 'http://[::ffff:10.0.0.8]/']) {
    expect(await find(url)).toBe('not_public')
  }
  for (const url of ['http://files.lan/', 'http://localhost:80/', 'http://db.internal/']) {
    expect(await find(url)).toBe('bad_url')
  }
})

test.each([
  ['https://videos.example.com/1.mp4', true],
  ['http://93.184.216.34/1.mp4', true],
  ['http://localhost:3000/1.mp4', false],
  ['http://service:3000/1.mp4', false],
  ['http://service.internal/1.mp4', false],
  ['http://127.0.0.1:3000/1.mp4', false],
  ['http://10.1.2.3/1.mp4', false],
  ['http://[::1]/1.mp4', false],
  ['ftp://videos.example.com/1.mp4', false],
  ['file:///1.mp4', false],
  ['1.mp4', false],
])('%s is public: %s', (url, isPublic) => {
  expect(isPublicUrl(url)).toBe(isPublic)
})

test.each([
  ['https://api.example.com/api/v1', ['api.example.com:443']],
  ['http://10.0.0.7:9001/v1', ['10.0.0.7:9001']],
  ['http://localhost:9001/api/v1', ['localhost:9001', '127.0.0.1:9001', '[::1]:9001']],
  ['http://[::1]:9001', ['localhost:9001', '127.0.0.1:9001', '[::1]:9001']],
])('what is at %s may call itself %j', (url, pairs) => {
  expect(toOwnPairs(url)).toEqual(pairs)
})
