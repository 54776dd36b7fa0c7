import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const HELP = (parts: readonly string[]) => `npm run bench -- [PART …] [options]

Measures Kopeck beside others that do the same thing, and keeps what came of it for \`npm run figures\`.

Parts, all of them unless some are named: ${parts.join(', ')}

  --rounds N        how often everything is measured, the contenders in turn (default 3)
  --before FOLDER   another checkout of Kopeck, installed, that is measured in the same rounds
  --peers FOLDER    where other gateways are installed
  --only A,B        measures only these contenders (such as bare,Kopeck), and keeps nothing

nginx is measured where it is on the PATH. For the others, in an empty folder (a later @hono/node-server breaks the
streams of Portkey, see https://github.com/Portkey-AI/gateway/issues/1389):

  echo '{"overrides":{"@hono/node-server":"1.14.1"}}' > package.json
  npm install --ignore-scripts @portkey-ai/gateway @musistudio/llms
`

/** The work that the bench is asked for. */
export interface BenchArguments {
  parts: readonly string[]
  rounds: number
  before: string | undefined
  peersFolder: string | undefined
  only: ReadonlySet<string> | undefined
}

/** @returns What is asked for, or the text that says how to ask. */
export function readArguments(
  args: readonly string[],
  parts: readonly string[],
): BenchArguments | string {
  const folder = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string' },
      before: folder,
      peers: folder,
    },
  })
  const rounds = Number(values.rounds)
  const unknown = positionals.filter((name) => !parts.includes(name))
  if (values.help || unknown.length > 0 || !(Number.isInteger(rounds) && rounds > 0)) {
    return HELP(parts)
  }
  return {
    parts: parts.filter((name) => positionals.length === 0 || positionals.includes(name)),
    rounds,
    before: values.before && resolve(values.before),
    peersFolder: values.peers && resolve(values.peers),
    only: values.only === undefined ? undefined : new Set(values.only.split(',')),
  }
}
