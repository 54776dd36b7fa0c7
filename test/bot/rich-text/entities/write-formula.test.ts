import { expect, test } from 'vitest'
import { writeFormulaText } from '../../../../src/bot/rich-text/entities/write-formula.ts'

test.each([
  ['E = mc^2', 'E = mc²'],
  ['x = \\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}', 'x = (-b ± √(b²-4ac))/(2a)'],
  ['\\sum_{i=1}^{n} i', '∑ᵢ₌₁ⁿ i'],
  ['\\int_0^1 x^2\\,dx = \\frac{1}{3}', '∫₀¹ x² dx = 1/3'],
  ['\\lim_{x \\to 0} \\frac{\\sin x}{x}', 'lim_(x → 0) (sin x)/x'],
  ['e^{i\\pi} + 1 = 0', 'e^(iπ) + 1 = 0'],
  ['\\left(\\frac{1}{2}\\right)^n \\in \\mathbb{R}', '(1/2)ⁿ ∈ ℝ'],
  ['\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}', '(1 2; 3 4)'],
  ['x = \\begin{cases} 1 \\\\[2pt]\n0 \\end{cases}', 'x = { 1; 0'],
  ['\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}', 'a = b\nc = d'],
  ['\\sqrt[3]{x}, 90^\\circ, \\sin\\alpha, \\log_2 n', '³√x, 90°, sin α, log₂ n'],
  ['\\text{если } x > 0', 'если x > 0'],
])('%j is written as %j', (source, written) => {
  expect(writeFormulaText(source)).toBe(written)
})

test.each([
  '\\unknown{x}',
  '\\frac{1',
  'a}',
  'x^',
  '\\begin{x}a\\end{x}',
  '\\begin{cases} a',
  `${'{'.repeat(50)}x${'}'.repeat(50)}`,
])('%j has no such form', (source) => {
  expect(writeFormulaText(source)).toBeUndefined()
})
