/** The settings of the operator's own key, and the well-known upstreams that it may belong to. */
import { join } from 'node:path'
import { isPublicUrl } from '../../../platform/http/url-guard.ts'
import { readText } from '../../../platform/read-text.ts'
import type { OutputLimit } from '../../providers/openai/request-form.ts'
import { FREE, parseUsd, type UsdPrices, type UsdRate } from './usd.ts'

export interface OpenAiSettings {
  baseUrl: string
  apiKey: string | undefined
  models: readonly string[] | undefined
  prices: ReadonlyMap<string, UsdPrices>
  usdRate: UsdRate
}

export const OPENAI_BASE_URL = 'https://api.openai.com/v1'

const MODEL_ID = /^[!-~]{1,200}$/

/** Reads the root of an API. Returns undefined for no http or https URL, and for more than a path in it. */
export function parseBaseUrl(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username + url.password + url.search + url.hash !== '') return undefined
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')
  return url.href.replace(/\/$/, '')
}

/** Reads ids with commas between. Returns undefined if one is no id, or stands there twice. */
export function parseModels(text: string): readonly string[] | undefined {
  const ids = text.split(',').map((id) => id.trim())
  const isList = ids.every((id) => MODEL_ID.test(id)) && new Set(ids).size === ids.length
  return isList ? ids : undefined
}

/** Reads `model=in/out` in dollars per 1 million tokens, or `model=free`, with commas between. */
export function parsePrices(text: string): ReadonlyMap<string, UsdPrices> | undefined {
  const prices = new Map<string, UsdPrices>()
  for (const part of text.split(',')) {
    // An id may have `=` in it, a price has none.
    const [, id = '', price = ''] = /^(.*?)\s*=([^=]*)$/.exec(part.trim()) ?? []
    const read = parsePrice(price.trim())
    if (!MODEL_ID.test(id) || read === undefined || prices.has(id)) return undefined
    prices.set(id, read)
  }
  return prices
}

function parsePrice(text: string): UsdPrices | undefined {
  if (text === 'free') return FREE
  const [prompt, completion, ...more] = text.split('/').map((usd) => parseUsd(usd.trim()))
  if (prompt === undefined || completion === undefined || more.length > 0) return undefined
  return { prompt, completion }
}

/** Reads what a dollar costs in roubles, above 0. */
export function parseUsdRate(text: string): UsdRate | undefined {
  const microRub = parseUsd(text)
  return microRub === undefined || microRub === 0n ? undefined : { microRub, from: 'USD_RUB' }
}

/** True if the upstream is on this machine or in a private network, where models cost nothing but what they are priced. */
export function isLocal(baseUrl: string): boolean {
  return !isPublicUrl(`https://${new URL(baseUrl).hostname}`)
}

export interface KnownUpstream {
  name: string
  baseUrl: string
  keyPrefix?: string
  prefers?: readonly string[]
  outputLimit?: OutputLimit
}

export const KNOWN_UPSTREAMS: readonly KnownUpstream[] = JSON.parse(
  readText(join(import.meta.dirname, 'known-upstreams.json')),
)

export function findKnownUpstream(baseUrl: string): KnownUpstream | undefined {
  const { host } = new URL(baseUrl)
  return KNOWN_UPSTREAMS.find((known) => new URL(known.baseUrl).host === host)
}

export function findOwnerOfKey(apiKey: string): KnownUpstream | undefined {
  return KNOWN_UPSTREAMS.find(
    ({ keyPrefix }) => keyPrefix !== undefined && apiKey.startsWith(keyPrefix),
  )
}
