import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { CREATION_PATHS } from '../../contract/media.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { writeJson } from '../command-line/write-output.ts'
import { createConformance } from './conformance.ts'
import { describeEstimate } from './cost.ts'
import { type Flags, readFlags } from './flags.ts'
import type { ConformanceOptions } from './options.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { writeJunit } from './report/write-junit.ts'
import { countOf, writeEnd, writeResult } from './report/write-lines.ts'
import { RULES } from './rules/rules.ts'
import { lockRun } from './run-lock.ts'
import { writeSentences } from './sentences/sentences.ts'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** `kopeck conformance` checks whether a service keeps the rules of the interface, as far as they show outside. */
export function createConformanceProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Looks at a service of the interface from outside, rule by rule, and prints what became of each.\n' +
      'What it costs is told before. Nothing else should use the account meanwhile.\n' +
      'Exit status 1: the service breaks a rule; with --strict also, that a rule was not seen.',
  })
    .argument('[URL]', 'where the service is; it ends in /api/v1')
    .argument('[KEY]', 'an API key of it; SERVICE_API_KEY by default, which no process list shows')
    .option('--rules', 'print every sentence of the interface with its rules, and look at nothing')
    .option('--yes', 'pay without asking')
    .option('--free', 'only what costs nothing')
    .option('--most <RUB>', 'stop before more is spent, and say which rules are left')
    .option('--video', 'make a clip, too')
    .option('--limits', 'ask more often than is allowed, too')
    .option('--thorough', 'both of these, and more tasks until each state was met')
    .option('--strict', 'take a rule that was not seen for one that is broken')
    .option('--model <ID>', 'the chat model to ask; the cheapest by default')
    .option(
      '--other-key <KEY>',
      'a key of another account, which should not see the tasks of this one; its limits are used up',
    )
    .option('--callback-url <URL>', 'where the service reaches this machine, to see its callbacks')
    .option('--callback-listen <HOST:PORT>', 'where they arrive here; as in the URL by default')
    .option(
      '--private-name <NAME>',
      'a public name of a private address, to which no callback may go',
    )
    .option('--creation <PATH>', 'a creation endpoint beside that of clips', CREATION_PATHS.image)
    .option('--creation-body <JSON>', 'what it takes', '{"prompt":"A kopeck on a windowsill"}')
    .option(
      '--provoke <KIND=NAME...>',
      'what fails on purpose: models that are refused, unavailable, broken or longer, prompts of tasks that are failed or rejected; demo: those of our own service',
    )
    .option('--settle <SECONDS>', 'how late the balance may move', '15')
    .option('--json', 'print one line of JSON at the end, and the others on standard error')
    .option('--junit <FILE>', 'write JUnit XML, too')
    .action(async (url: string | undefined, key: string | undefined, flags: Flags) => {
      if (flags.rules === true) return print(writeSentences(RULES))
      if (url === undefined) throw new Error('URL is missing: where the service is')
      const apiKey = key ?? env.SERVICE_API_KEY ?? ''
      if (apiKey === '') throw new Error('KEY is missing, and SERVICE_API_KEY is not set')
      const options = readFlags(flags)
      const baseUrl = readBaseUrl(url)
      const receiver = await openReceiverFor(flags)
      try {
        const unlock = await lockRun(baseUrl, apiKey)
        try {
          await look({ baseUrl, apiKey, options, receiver, flags, print })
        } finally {
          await unlock()
        }
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
    const estimate = await conformance.estimate()
    if (estimate.cost.length > 0 && !(await mayPay(describeEstimate(estimate), flags))) return
    const printLine = flags.json === true ? printBeside : print
    const report = await conformance.run((result) => {
      // The end tells of what the options leave out.
      if (result.requests.length > 0) printLine(writeResult(result))
    })
    printLine(writeEnd(report))
    if (flags.json === true) print(writeJson(report))
    if (flags.junit !== undefined) await writeFile(flags.junit, writeJunit(report))
    const { results } = report
    const isUnseen = flags.strict === true && countOf(results, 'not seen') > 0
    if (countOf(results, 'failed') > 0 || isUnseen) process.exitCode = 1
  } finally {
    await conformance.close()
  }
}

function printBeside(text: string): void {
  process.stderr.write(`${text}\n`)
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
