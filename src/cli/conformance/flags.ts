import { parseRub } from '../../contract/money.ts'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import {
  type ConformanceOptions,
  DEMO_PROVOCATIONS,
  PROVOCATIONS,
  type Provocation,
  type Provocations,
} from './options.ts'

/** The options as they are typed. */
export interface Flags {
  rules?: true
  yes?: true
  free?: true
  video?: true
  limits?: true
  thorough?: true
  strict?: true
  model?: string
  otherKey?: string
  privateName?: string
  callbackUrl?: string
  callbackListen?: string
  creation: string
  creationBody: string
  provoke?: string[]
  most?: string
  settle: string
  json?: true
  junit?: string
}

const SETTLE_S_MAX = 600

/** Reads what was typed. @throws {Error} One sentence for people. */
export function readFlags(flags: Flags): ConformanceOptions {
  const body = parseJson(flags.creationBody)
  if (!isJsonObject(body)) throw new Error('--creation-body should be a JSON object')
  const isThorough = flags.thorough === true
  return {
    isFree: flags.free === true,
    withVideo: isThorough || flags.video === true,
    withLimits: isThorough || flags.limits === true,
    isThorough,
    callbackUrl: flags.callbackUrl?.replace(/\/+$/, ''),
    otherApiKey: flags.otherKey,
    privateName: flags.privateName,
    model: flags.model,
    creation: { path: flags.creation.replace(/^\/+/, ''), body },
    provoke: readProvocations(flags.provoke ?? []),
    mostMicroRub: flags.most === undefined ? undefined : readMost(flags.most),
    settleMs: readSettle(flags.settle),
  }
}

function readProvocations(given: readonly string[]): Provocations {
  const provoke: Partial<Record<Provocation, string>> = {}
  for (const each of given) {
    if (each === 'demo') Object.assign(provoke, DEMO_PROVOCATIONS)
    else {
      const [, kind, name] = /^([a-z]+)=(.+)$/s.exec(each) ?? []
      const known = PROVOCATIONS.find((provocation) => provocation === kind)
      if (known === undefined || name === undefined) {
        throw new Error(
          `--provoke should be demo, or KIND=NAME with a KIND of ${PROVOCATIONS.join(', ')}`,
        )
      }
      provoke[known] = name
    }
  }
  return provoke
}

function readMost(text: string): bigint {
  const microRub = parseRub(text)
  if (microRub === undefined || microRub < 0n)
    throw new Error('--most should be roubles, such as 50')
  return microRub
}

function readSettle(text: string): number {
  const seconds = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || seconds > SETTLE_S_MAX) {
    throw new Error(`--settle should be seconds, up to ${SETTLE_S_MAX}`)
  }
  return seconds * 1000
}
