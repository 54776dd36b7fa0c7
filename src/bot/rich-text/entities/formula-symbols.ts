/** TeX's names of signs, as pairs of a name and its sign. */
const SIGNS = `
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
nu ν xi ξ pi π rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ otimes ⊗ odot ⊙
le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫
to → rightarrow → longrightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ implies ⇒ Leftarrow ⇐
Leftrightarrow ⇔ iff ⇔ mapsto ↦ uparrow ↑ downarrow ↓
in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅ varnothing ∅
forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ therefore ∴ because ∵ vdash ⊢ models ⊨
sum ∑ prod ∏ int ∫ iint ∬ iiint ∭ oint ∮ partial ∂ nabla ∇ infty ∞ surd √ degree ° prime ′ ell ℓ hbar ℏ Re ℜ Im ℑ
aleph ℵ angle ∠ top ⊤ bot ⊥ perp ⊥ parallel ∥ mid | vert | Vert ‖ lvert | rvert | lVert ‖ rVert ‖ langle ⟨ rangle ⟩
lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } lbrack [ rbrack ] backslash \\
dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ triangle △ square □ blacksquare ■ checkmark ✓ dagger †
`

/** Names that are written as they are. */
const WORDS = `
sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim limsup liminf max min sup inf det dim
ker deg gcd lcm arg mod Pr
`

export const FORMULA_SIGNS: ReadonlyMap<string, string> = new Map(
  [...SIGNS.matchAll(/(\S+) (\S+)/g)].map(([, name = '', sign = '']) => [name, sign]),
)

export const FORMULA_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/))

/** The letters of number sets. */
export const DOUBLE_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ R: 'ℝ', N: 'ℕ', Z: 'ℤ', Q: 'ℚ', C: 'ℂ', P: 'ℙ', E: '𝔼', F: '𝔽', H: 'ℍ' }),
)

/** Signs above a letter, as characters that combine with it. */
export const ACCENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ hat: '\u0302', widehat: '\u0302', bar: '\u0304', overline: '\u0304', tilde: '\u0303' },
    ...{ vec: '\u20d7', dot: '\u0307', ddot: '\u0308' },
  }),
)
