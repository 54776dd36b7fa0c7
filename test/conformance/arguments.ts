import { parseArgs } from 'node:util'

const HELP = (
  names: readonly string[],
  kinds: readonly string[],
) => `npm run faults -- [options] [NAME…]

Has "kopeck conformance" judge our service with one fault each, the faultless one and a second service in another style,
each as a process with a database of its own, and prints which rules found what in each kind of run.

  NAME…             what is judged, of ${names.length} (default all); --list names them
  --kinds A,B       the kinds of runs, of ${kinds.join(', ')} (default all)
  --at-once N       how many at the same time (default 4): most of a run is waiting
  --times N         how often each is judged (default 1)
`

/** What is asked for. */
export interface FaultsArguments {
  names: readonly string[]
  kinds: readonly string[]
  atOnce: number
  times: number
}

/** @returns What is asked for, or the text that says how to ask, or that was asked for. */
export function readArguments(
  args: readonly string[],
  all: { names: readonly string[]; kinds: readonly string[] },
): FaultsArguments | string {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      list: { type: 'boolean' },
      kinds: { type: 'string', default: all.kinds.join(',') },
      'at-once': { type: 'string', default: '4' },
      times: { type: 'string', default: '1' },
    },
  })
  if (values.list) return `${all.names.join('\n')}\n`
  const kinds = values.kinds.split(',')
  const names = positionals.length === 0 ? all.names : positionals
  const [atOnce, times] = [Number(values['at-once']), Number(values.times)]
  const areKnown =
    kinds.every((kind) => all.kinds.includes(kind)) &&
    names.every((name) => all.names.includes(name))
  const areCounts = [atOnce, times].every((count) => Number.isInteger(count) && count > 0)
  if (values.help || !areKnown || !areCounts) return HELP(all.names, all.kinds)
  return { names, kinds, atOnce, times }
}
