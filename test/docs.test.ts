import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const PROOF = /^`(test\/[^`]+\.test\.ts)`: `([^`]+)`$/

interface Rule {
  rule: string
  proofs: string[]
}

const rules = readRules(readFileSync(join(ROOT, 'docs/interface-rules.md'), 'utf8'))

test('docs/interface-rules.md has the rules of the interface', () => {
  expect(rules.length).toBeGreaterThan(80)
  expect(new Set(rules.map(({ rule }) => rule)).size).toBe(rules.length)
})

test.each(rules)('a test proves the rule: $rule', ({ proofs }) => {
  expect(proofs).not.toEqual([])
  for (const proof of proofs) expect(findProblem(proof)).toBeUndefined()
})

/** Every row of every table but its head. */
function readRules(markdown: string): Rule[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (rule|---) \|/.test(line))
    .map((line) => {
      const [rule = '', proofs = ''] = line.slice('| '.length, -' |'.length).split(' | ')
      return { rule, proofs: proofs.split('<br>') }
    })
}

function findProblem(proof: string): string | undefined {
  const [, path, name] = PROOF.exec(proof) ?? []
  if (path === undefined || name === undefined) return `"${proof}" names no test`
  if (!existsSync(join(ROOT, path))) return `there is no ${path}`
  const source = readFileSync(join(ROOT, path), 'utf8')
  const isThere = [`'`, '"', '`'].some((quote) => source.includes(quote + name + quote))
  return isThere ? undefined : `${path} has no test "${name}"`
}
