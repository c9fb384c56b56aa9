const NAME_CHARACTERS_MAX = 80
// Control and format characters, line separators and lone surrogates: a name must look in every list as it is.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** The name without blanks around it; undefined: empty, over 80 characters, or with characters nobody can see. */
export function checkName(name: string): string | undefined {
  const trimmed = name.trim().normalize('NFC')
  const fits = trimmed !== '' && trimmed.length <= NAME_CHARACTERS_MAX && !UNSEEN.test(trimmed)
  return fits ? trimmed : undefined
}

export const NAME_RULE = 'A name has 1 to 80 visible characters.'
