"""RDKit molecules and SMILES, there and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from graphedx.convert.labels import LabelRule, label_reader
from graphedx.errors import GraphError, MissingExtraError
from graphedx.graph import Graph, Label, Name

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
                f"edge {edge!r} is labelled {label!r}, which is no bond type such as 'SINGLE' or 'AROMATIC'"
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
        raise GraphError(f"{_shortened(smiles)!r} is not valid SMILES: it must be one word of ASCII characters")
    with _quiet():
        mol = chem.MolFromSmiles(smiles) if strict else _lenient(chem, smiles)
        if mol is not None and hydrogens:
            mol.UpdatePropertyCache(strict=False)
            mol = chem.AddHs(mol)
    if mol is None:
        raise GraphError(f"{_shortened(smiles)!r} is not valid SMILES; strict=False takes impossible valences")
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
        raise GraphError(f"the graph is no molecule that SMILES can hold: {str(error).strip()}") from None
    if _census(back) != _census(graph):
        raise GraphError(f"the graph is no molecule that SMILES can hold: {text!r} stands for other atoms or bonds")
    return text


def _chem() -> Any:
    try:
        from rdkit import Chem
    except ImportError:
        raise MissingExtraError("rdkit", "chem") from None
    return Chem


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
            raise GraphError(f"{what} must be among {', '.join(known)}, a callable or None, got {name!r}")
    if isinstance(rule, str):
        return known[rule]
    return lambda thing: reader({name: known[name](thing) for name in names})


def _atom(chem: Any, node: Name, symbol: Label) -> Any:
    try:
        with _quiet():
            return chem.Atom(symbol) if isinstance(symbol, str) else chem.Atom("")
    except (RuntimeError, ValueError):
        raise GraphError(f"node {node!r} is labelled {symbol!r}, which is no element symbol such as 'C'") from None


def _census(graph: Graph) -> tuple[object, ...]:
    return Counter(graph.node_labels), Counter(graph.edge_labels)


def _shortened(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
