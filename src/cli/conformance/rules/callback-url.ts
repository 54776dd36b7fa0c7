import type { WireAnswer } from '../answer.ts'
import { notSeen, type Rule } from '../rule.ts'
import type { Scenes } from '../scenes/scenes.ts'
import { isRefused, judgeRefusals } from './refusals.ts'

const URL_CHARS_MAX = 500

const PRIVATE_URLS = [
  'http://localhost/',
  'http://127.0.0.1/',
  'http://127.9.9.9/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/',
]

/** Rules about addresses to which callbacks may not go. A refused creation costs nothing. */
export const CALLBACK_URL_RULES: readonly Rule[] = [
  {
    id: 'callback-url',
    needs: 'nothing',
    judge: (scenes) =>
      judgeUrls(scenes, {
        'a callback to ftp:': 'ftp://example.com/',
        'to no URL': 'here',
        // Nothing else is wrong with an address that reaches this machine.
        'to a URL of 501 characters': toLongUrl(
          scenes.options.callbackUrl ?? 'https://example.com',
        ),
      }),
  },
  {
    id: 'callback-public',
    needs: 'nothing',
    judge: (scenes) =>
      judgeUrls(
        scenes,
        Object.fromEntries(PRIVATE_URLS.map((url) => [`a callback to ${url}`, url])),
      ),
  },
  {
    id: 'callback-names',
    needs: 'private name',
    async judge(scenes) {
      const asked = 'a callback to a name of a private address'
      return await judgeUrls(scenes, { [asked]: `http://${scenes.options.privateName}/` })
    },
  },
]

function toLongUrl(root: string): string {
  return `${root}/`.padEnd(URL_CHARS_MAX + 1, 'x')
}

async function judgeUrls(scenes: Scenes, urls: Readonly<Record<string, string>>) {
  const { path } = scenes.options.creation
  if (!(await scenes.hasCreation())) return notSeen('a callback', `no endpoint /${path}`)
  const cases = Object.entries(urls).map(([name, url]) => [name, ask(scenes, url)] as const)
  return await judgeRefusals(Object.fromEntries(cases), isRefused)
}

function ask({ limited, options }: Scenes, url: string): () => Promise<WireAnswer> {
  const { path, body } = options.creation
  const headers = { 'x-callback-url': url }
  return () => limited.ask({ method: 'POST', path: `/${path}`, body, headers })
}
