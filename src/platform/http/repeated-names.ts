import { formatPath } from '../guard.ts'

export const ONCE = 'a name that is given once, not twice'

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

interface Open {
  names: Set<string> | undefined
  at: string | number
}

/** Finds the paths of names that an object has twice; `JSON.parse()` silently takes the last value. */
export function findRepeatedNames(json: string): string[] {
  const repeated = new Set<string>()
  const open: Open[] = []
  let last = ''
  for (const [token] of json.matchAll(TOKENS)) {
    const inner = open.at(-1)
    if (token === '{') open.push({ names: new Set(), at: '' })
    else if (token === '[') open.push({ names: undefined, at: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && typeof inner?.at === 'number') inner.at++
    else if (token === ':' && inner?.names !== undefined) {
      const name: string = JSON.parse(last)
      inner.at = name
      if (inner.names.has(name)) repeated.add(formatPath(open.map(({ at }) => at)))
      inner.names.add(name)
    }
    last = token
  }
  return [...repeated]
}
