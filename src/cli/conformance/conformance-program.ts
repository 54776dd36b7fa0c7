import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { CREATION_PATHS } from '../../contract/media.ts'
import { isJsonObject, parseJson } from '../../platform/http/json.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { writeJson, writeTable } from '../command-line/write-output.ts'
import { createConformance, type Report, type Result } from './conformance.ts'
import { describeCost } from './cost.ts'
import type { ConformanceOptions } from './options.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import type { Outcome } from './rule.ts'

/** The options as they are typed. */
interface Flags {
  yes?: true
  free?: true
  video?: true
  limits?: true
  model?: string
  otherKey?: string
  privateName?: string
  callbackUrl?: string
  callbackListen?: string
  creation: string
  creationBody: string
  json?: true
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** `kopeck conformance` checks whether a service keeps the rules of the interface, as far as they show outside. */
export function createConformanceProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Looks at a service of the interface from outside, rule by rule, and prints what became of each.\n' +
      'What it costs is told before. Nothing else should use the account meanwhile.\n' +
      'Exit status 1: the service breaks a rule.',
  })
    .argument('<URL>', 'where the service is; it ends in /api/v1')
    .argument('[KEY]', 'an API key of it; SERVICE_API_KEY by default, which no process list shows')
    .option('--yes', 'pay without asking')
    .option('--free', 'only what costs nothing')
    .option('--video', 'make a clip, too')
    .option('--limits', 'ask more often than is allowed, too: it takes minutes')
    .option('--model <ID>', 'the chat model to ask; the cheapest by default')
    .option(
      '--other-key <KEY>',
      'a key of another account, which should not see the tasks of this one',
    )
    .option('--callback-url <URL>', 'where the service reaches this machine, to see its callbacks')
    .option('--callback-listen <HOST:PORT>', 'where they arrive here; as in the URL by default')
    .option(
      '--private-name <NAME>',
      'a public name of a private address, to which no callback may go',
    )
    .option('--creation <PATH>', 'a creation endpoint beside that of clips', CREATION_PATHS.image)
    .option('--creation-body <JSON>', 'what it takes', '{"prompt":"A kopeck on a windowsill"}')
    .option('--json', 'print one line of JSON')
    .action(async (url: string, key: string | undefined, flags: Flags) => {
      const apiKey = key ?? env.SERVICE_API_KEY ?? ''
      if (apiKey === '') throw new Error('KEY is missing, and SERVICE_API_KEY is not set')
      const options = toOptions(flags)
      const receiver = await openReceiverFor(flags)
      try {
        await look({ baseUrl: readBaseUrl(url), apiKey, options, receiver, flags, print })
      } finally {
        await receiver?.close()
      }
    })
}

async function look({
  baseUrl,
  apiKey,
  options,
  receiver,
  flags,
  print,
}: {
  baseUrl: string
  apiKey: string
  options: ConformanceOptions
  receiver: Receiver | undefined
  flags: Flags
  print: CommandDeps['print']
}): Promise<void> {
  const conformance = createConformance({ baseUrl, apiKey, options, receiver })
  try {
    const cost = await conformance.estimate()
    if (cost.length > 0 && !(await mayPay(describeCost(cost), flags))) return
    const report = await conformance.run(showProgress)
    showProgress()
    print(flags.json === true ? writeJson(report) : writeReport(report))
    if (report.results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
  } finally {
    await conformance.close()
  }
}

/** Shows on a terminal which rule was judged last, in one line: some take minutes. Without a rule it clears the line. */
function showProgress(last?: Result): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(`\r\x1b[K${last === undefined ? '' : `${last.rule}: ${last.outcome}`}`)
}

/** @throws {Error} One sentence for people, if no terminal is there to ask at. */
async function mayPay(cost: string, { yes }: Flags): Promise<boolean> {
  process.stderr.write(`${cost}\n`)
  if (yes === true) return true
  if (!process.stdin.isTTY) throw new Error('It costs money: say --yes, or --free')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question('Go on? [y/N] ')).trim())
  } finally {
    terminal.close()
  }
}

function readBaseUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('URL should be an http or https URL that ends in /api/v1')
  }
  return text
}

function toOptions(flags: Flags): ConformanceOptions {
  const body = parseJson(flags.creationBody)
  if (!isJsonObject(body)) throw new Error('--creation-body should be a JSON object')
  return {
    isFree: flags.free === true,
    withVideo: flags.video === true,
    withLimits: flags.limits === true,
    callbackUrl: flags.callbackUrl?.replace(/\/+$/, ''),
    otherApiKey: flags.otherKey,
    privateName: flags.privateName,
    model: flags.model,
    creation: { path: flags.creation.replace(/^\/+/, ''), body },
  }
}

async function openReceiverFor({ callbackUrl, callbackListen }: Flags) {
  if (callbackUrl === undefined) return undefined
  const url = URL.parse(callbackUrl)
  if (url === null) throw new Error('--callback-url should be an http or https URL')
  const where = callbackListen ?? (url.protocol === 'http:' ? toListenAddress(url) : '')
  const [, host, port] = /^(.*):(\d{1,5})$/.exec(where) ?? []
  if (host === undefined || port === undefined) {
    throw new Error('--callback-listen should say where callbacks arrive: HOST:PORT')
  }
  return await openReceiver({ host, port: Number(port) }, systemClock)
}

/** Listens on this machine only, if the service runs here, too. */
function toListenAddress({ hostname, port }: URL): string {
  return `${LOOPBACK.test(hostname) ? '127.0.0.1' : '0.0.0.0'}:${port || 80}`
}

/** The table cuts what was asked to this length; JSON has it whole. */
const ASKED_CHARS_MAX = 60

const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'not seen', 'skipped']

/** Writes what became of each rule, for people. */
function writeReport({ results, notes }: Report): string {
  const columns = ['RULE', 'OUTCOME', 'ASKED', 'SEEN'].map((head) => ({ head }))
  const rows = results.map(({ rule, outcome, asked, seen }) => [rule, outcome, cut(asked), seen])
  const counts = OUTCOMES.map((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length
    return `${count} ${outcome}`
  })
  const open = notes.map(({ about, seen }) => [about, seen])
  return [
    writeTable(columns, rows),
    '',
    'What the interface leaves open:',
    writeTable([{ head: 'ABOUT' }, { head: 'SEEN' }], open),
    '',
    `${counts.join(', ')}.`,
  ].join('\n')
}

function cut(text: string): string {
  return text.length > ASKED_CHARS_MAX ? `${text.slice(0, ASKED_CHARS_MAX - 1)}…` : text
}
