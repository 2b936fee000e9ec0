"""RDKit molecules and SMILES, there and back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from graphedx._quoting import quoted, shortened
from graphedx.convert.labels import LabelRule, label_reader
from graphedx.errors import GraphError, MissingExtraError
from graphedx.graph import Graph, Label, Name

MAX_SMILES = 10_000
"""No longer SMILES string is read."""
MAX_RINGS = 500
"""No SMILES string that closes more rings is read."""
_BRACKET_ATOM = re.compile(r"\[[^\]]*\]")
_RING_CLOSURE = re.compile(r"%\(\d+\)|%\d\d|\d")
_LOG_PREFIX = re.compile(r"^(\[\d\d:\d\d:\d\d\] )?(SMILES Parse Error: )?")
_POSITION = re.compile(r"around position \d+")
_REPEATED_INPUT = re.compile(r" (while parsing: |for input: ).*")
_ATOM: dict[str, Callable[[Any], Label]] = {
    "symbol": lambda atom: str(atom.GetSymbol()),
    "charge": lambda atom: int(atom.GetFormalCharge()),
    "hydrogens": lambda atom: int(atom.GetTotalNumHs()),
    "aromatic": lambda atom: bool(atom.GetIsAromatic()),
    "isotope": lambda atom: int(atom.GetIsotope()),
}
_BOND: dict[str, Callable[[Any], Label]] = {
    "type": lambda bond: str(bond.GetBondType()),
    "aromatic": lambda bond: bool(bond.GetIsAromatic()),
    "in_ring": lambda bond: bool(bond.IsInRing()),
}


def from_rdkit(mol: Any, *, node_label: LabelRule = "symbol", edge_label: LabelRule = "type", name: str = "") -> Graph:
    """The Graph of an RDKit molecule: its atoms as they are (hydrogens only where explicit), named 0, 1, ...

    ``node_label`` is one or several of symbol, charge, hydrogens, aromatic, isotope; ``edge_label`` of type ("SINGLE",
    "AROMATIC", ...), aromatic, in_ring; or a callable on the RDKit atom or bond; or ``None`` for structure only.
    """
    if not hasattr(mol, "GetAtoms"):
        hint = "; RDKit gives None for a molecule it cannot parse" if mol is None else ""
        raise GraphError(f"from_rdkit needs an RDKit Mol, got {type(mol).__name__}{hint}")
    atom_label = _reader(node_label, "node_label", _ATOM)
    bond_label = _reader(edge_label, "edge_label", _BOND)
    # RDKit's own iterators take twice as long as asking one by one.
    atoms = map(mol.GetAtomWithIdx, range(mol.GetNumAtoms()))
    bonds = [mol.GetBondWithIdx(i) for i in range(mol.GetNumBonds())]
    return Graph(
        mol.GetNumAtoms(),
        [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds],
        node_labels=[atom_label(atom) for atom in atoms],
        edge_labels=[bond_label(bond) for bond in bonds],
        name=name or (mol.GetProp("_Name") if mol.HasProp("_Name") else ""),
    )


def to_rdkit(graph: Graph) -> Any:
    """An RDKit molecule with these atoms and bonds and nothing else, not sanitized so that no label changes.

    Node labels must be element symbols and edge labels RDKit's bond types. Charges are not in them, so a charged
    molecule comes back neutral.
    """
    chem = _chem()
    if graph.directed:
        raise GraphError("a molecule has no directed bonds: use an undirected graph")
    mol = chem.RWMol()
    for node, symbol in zip(graph.nodes, graph.node_labels, strict=True):
        mol.AddAtom(_atom(chem, node, symbol))
    for (u, v), edge, label in zip(graph.edge_index, graph.edges, graph.edge_labels, strict=True):
        kind = chem.BondType.names.get(label) if isinstance(label, str) else None
        if kind is None:
            raise GraphError(
                f"edge {quoted(edge)} is labelled {quoted(label)}, which is no bond type such as 'SINGLE' or 'AROMATIC'"
            )
        mol.AddBond(u, v, kind)
        if kind == chem.BondType.AROMATIC:
            mol.GetBondBetweenAtoms(u, v).SetIsAromatic(True)
            for end in (u, v):
                mol.GetAtomWithIdx(end).SetIsAromatic(True)
    result = mol.GetMol()
    result.UpdatePropertyCache(strict=False)
    if graph.name:
        result.SetProp("_Name", graph.name)
    return result


def from_smiles(
    smiles: str,
    *,
    hydrogens: bool = False,
    strict: bool = True,
    node_label: LabelRule = "symbol",
    edge_label: LabelRule = "type",
    name: str | None = None,
) -> Graph:
    """The molecular graph of a SMILES string; ``hydrogens`` adds every hydrogen atom as a node.

    ``strict=False`` also takes molecules of impossible valence, as old collections hold them. Labels as in
    ``from_rdkit``; the graph is named after the SMILES unless told otherwise.
    """
    chem = _chem()
    if not isinstance(smiles, str):
        raise GraphError(f"SMILES must be text, got {type(smiles).__name__}")
    smiles = smiles.strip()
    if not smiles:
        raise GraphError("the SMILES string is empty")
    if not (smiles.isascii() and smiles.isprintable()) or " " in smiles:  # RDKit would silently stop reading there
        raise GraphError(f"{quoted(smiles)} is not valid SMILES: it must be one word of ASCII characters")
    _require_modest(smiles)
    try:
        mol = _molecule(chem, smiles, strict=strict, hydrogens=hydrogens)
    except (RuntimeError, ValueError) as error:  # an invariant of RDKit that does not hold
        raise GraphError(f"{quoted(smiles)} cannot be read by RDKit: {_first_line(str(error))}") from None
    if mol is None:
        why = _refusal(chem, smiles)
        hint = "; strict=False takes impossible valences" if strict and "valence" in why else ""
        raise GraphError(f"{quoted(smiles)} is not valid SMILES: {why}{hint}")
    name = smiles if name is None else name
    return from_rdkit(mol, node_label=node_label, edge_label=edge_label, name=name)


def to_smiles(graph: Graph) -> str:
    """The canonical SMILES of a graph with element and bond labels.

    Raises GraphError where the text would stand for other atoms or bonds: labels hold no charges, so not every graph
    is a molecule. Hydrogens that are nodes come back with ``from_smiles(text, hydrogens=True)``.
    """
    chem = _chem()
    mol = to_rdkit(graph)
    try:
        with _quiet():
            chem.SanitizeMol(mol)
            text = str(chem.MolToSmiles(mol))
            back = from_smiles(text, hydrogens="H" in graph.node_labels) if text else Graph()
    except (ValueError, RuntimeError) as error:
        raise GraphError(f"the graph is no molecule that SMILES can hold: {_first_line(str(error))}") from None
    if _census(back) != _census(graph):
        raise GraphError(
            f"the graph is no molecule that SMILES can hold: {quoted(text)} stands for other atoms or bonds"
        )
    return text


def _chem() -> Any:
    try:
        from rdkit import Chem
    except ImportError:
        raise MissingExtraError("rdkit", "chem") from None
    return Chem


def _require_modest(smiles: str) -> None:
    """Refuse what takes RDKit minutes or gigabytes: its time grows with the square of atoms and rings, or faster."""
    if len(smiles) > MAX_SMILES:
        raise GraphError(
            f"{quoted(smiles)} has {len(smiles):,} characters, more than the limit of {MAX_SMILES:,} for SMILES"
        )
    rings = len(_RING_CLOSURE.findall(_BRACKET_ATOM.sub("", smiles))) // 2
    if rings > MAX_RINGS:
        raise GraphError(f"{quoted(smiles)} closes {rings:,} rings, more than the limit of {MAX_RINGS:,} for SMILES")


def _molecule(chem: Any, smiles: str, *, strict: bool, hydrogens: bool) -> Any:
    """Return the RDKit molecule, or None if RDKit refuses the text."""
    with _quiet():
        mol = chem.MolFromSmiles(smiles) if strict else _lenient(chem, smiles)
        if mol is not None and hydrogens:
            mol.UpdatePropertyCache(strict=False)
            mol = chem.AddHs(mol)
    return mol


def _refusal(chem: Any, smiles: str) -> str:
    """Return RDKit's own reason to refuse a SMILES string, in one line and without the string itself."""
    from rdkit import rdBase

    if hasattr(rdBase, "CaptureErrorLog"):
        with _quiet(), rdBase.CaptureErrorLog() as log:
            chem.MolFromSmiles(smiles)
        lines = [_LOG_PREFIX.sub("", line) for line in log.messages.splitlines()]
        where = next((found.group() for line in lines if (found := _POSITION.search(line))), "")
        what = _REPEATED_INPUT.sub("", lines[0]) if lines else ""
    else:  # an older RDKit logs the reason of syntax errors to stderr only
        with _quiet():
            mol = chem.MolFromSmiles(smiles, sanitize=False)
            problems = () if mol is None else chem.DetectChemistryProblems(mol)
        what, where = (problems[0].Message() if problems else ""), ""
    return _first_line(f"{what} {where}".strip() or "RDKit cannot parse it")


def _first_line(text: str) -> str:
    return shortened(" ".join((text.strip().splitlines() or [""])[0].split()), 120)


def _quiet() -> Any:
    """While this lives RDKit prints no messages: the error we raise says it."""
    from rdkit import rdBase

    return rdBase.BlockLogs()


def _lenient(chem: Any, smiles: str) -> Any:
    """Sanitized but for the check of valences, as far as that goes."""
    mol = chem.MolFromSmiles(smiles, sanitize=False)
    if mol is None:
        return None
    mol.UpdatePropertyCache(strict=False)
    mol = chem.RemoveHs(mol, sanitize=False)
    checks = chem.SanitizeFlags.SANITIZE_ALL ^ chem.SanitizeFlags.SANITIZE_PROPERTIES
    chem.SanitizeMol(mol, sanitizeOps=checks, catchErrors=True)
    return mol


def _reader(rule: LabelRule, what: str, known: dict[str, Callable[[Any], Label]]) -> Callable[[Any], Label]:
    if callable(rule):
        return rule
    reader = label_reader(rule, what)
    names = [] if rule is None else [rule] if isinstance(rule, str) else list(rule)
    for name in names:
        if name not in known:
            raise GraphError(f"{what} must be among {', '.join(known)}, a callable or None, got {quoted(name)}")
    if isinstance(rule, str):
        return known[rule]
    return lambda thing: reader({name: known[name](thing) for name in names})


def _atom(chem: Any, node: Name, symbol: Label) -> Any:
    try:
        with _quiet():
            return chem.Atom(symbol) if isinstance(symbol, str) else chem.Atom("")
    except (RuntimeError, ValueError):
        raise GraphError(
            f"node {quoted(node)} is labelled {quoted(symbol)}, which is no element symbol such as 'C'"
        ) from None


def _census(graph: Graph) -> tuple[object, ...]:
    return Counter(graph.node_labels), Counter(graph.edge_labels)
